"""From a typed intent to one SELECT of PostgreSQL, built with sqlglot."""

from agent.semantic.algebra import Intent, LookupRows, Rows
from agent.semantic.sql.rows import lookup_query, rows_query
from agent.semantic.sql.summary import SummaryQuery


def render(intent: Intent) -> str:
    """Return the query of an intent, readable and ready to run."""
    if isinstance(intent, Rows):
        query = rows_query(intent)
    elif isinstance(intent, LookupRows):
        query = lookup_query(intent)
    else:
        query = SummaryQuery(intent).query()
    return query.sql(dialect="postgres", pretty=True)


__all__ = ["render"]
