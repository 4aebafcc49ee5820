"""Lists of incidents and of names, in SQL."""

from collections.abc import Iterable

from sqlglot import exp

from agent.semantic.algebra import Dimension, LookupRows, Rows
from agent.semantic.predicates import (
    Predicate,
    both,
)
from agent.semantic.sql.aggregates import ordered
from agent.semantic.sql.conditions import FACTS, column, condition, every, labelled


def rows_query(intent: Rows) -> exp.Select:
    """Return the query of a listing of incidents."""
    keys = [labelled(value) for value in intent.columns]
    query = joined(exp.select(*keys).from_(FACTS), intent.columns)
    query = filtered(query, intent.where)
    keys_in_order = [(column(name), descending) for name, descending in intent.order]
    if not keys_in_order:
        keys_in_order = [(column("INCIDENT_DATE"), False)]
    query = query.order_by(*ordered(keys_in_order), *ordered([(column("ID"), False)]))
    return query.limit(intent.limit) if intent.limit else query


def lookup_query(intent: LookupRows) -> exp.Select:
    """Return the query of a question about a lookup table."""
    if intent.count:
        query = exp.select(exp.Count(this=exp.Star()).as_("names")).from_(intent.lookup.table)
    else:
        query = exp.select(*[exp.column(name) for name in intent.columns]).from_(intent.lookup.table)
        query = query.order_by(exp.column(intent.lookup.key))
    return filtered(query, intent.where)


def filtered(query: exp.Select, where: Predicate) -> exp.Select:
    """Return a query with a condition added."""
    parts = [condition(part) for part in both([where]).parts]
    return query.where(every(parts)) if parts else query


def joined(query: exp.Select, dimensions: Iterable[Dimension]) -> exp.Select:
    """Return a query joined to the lookups whose names it shows."""
    for value in dimensions:
        if value.lookup is not None and value.named:
            on = exp.EQ(this=exp.column(value.lookup.key), expression=column(value.column))
            query = query.join(value.lookup.table, on=on)
    return query
