"""What can be wrong with a gold before it runs: clocks, cuts through ties, sums of floats, order not asked for."""

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from agent.benchmark.questions import Question
from include.dataset import TABLES

DIALECT = "postgres"
UNSTEADY = {
    *("now", "current_date", "current_time", "current_timestamp", "current_timestamp_l_t_z", "localtime"),
    *("localtimestamp", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday"),
    *("random", "rand", "gen_random_uuid", "uuid", "age", "pg_sleep", "array_agg", "string_agg", "group_concat"),
}
"""Functions whose result hangs on the clock, on chance or on the order in which rows are read."""
FLOATS = {column.name for table in TABLES for column in table.columns if column.pg_type.startswith("double")}
SCHEMA: dict[str, object] = {
    table.name: {column.quoted: column.pg_type.split("(")[0] for column in table.columns} for table in TABLES
}


def lint_gold(question: Question) -> tuple[str, ...]:
    """Return the faults of all golds of a question, in words; empty = none."""
    faults: list[str] = []
    for number, sql in enumerate(question.gold, start=1):
        place = f"question {question.id}, gold {number}: "
        faults += [place + fault for fault in _gold_faults(sql, question)]
    return tuple(faults)


def _gold_faults(sql: str, question: Question) -> Iterator[str]:
    try:
        statements = sqlglot.parse(sql, dialect=DIALECT)
    except sqlglot.errors.SqlglotError as error:
        yield f"it does not parse: {str(error).splitlines()[0]}"
        return
    tree = statements[0]
    if len(statements) != 1 or not isinstance(tree, exp.Select | exp.SetOperation):
        yield "it is not one SELECT"
        return
    yield from _relations(tree)
    yield from _unsteady(tree)
    yield from _cuts(tree)
    yield from _order(tree, ordered=question.ordered)
    yield from _columns(tree, extra=question.extra_columns)


def _relations(tree: exp.Expression) -> Iterator[str]:
    ctes = {cte.alias for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.db or (table.name not in SCHEMA and table.name not in ctes):
            yield f"it reads {table.sql(dialect=DIALECT)}, which is none of {', '.join(SCHEMA)}"
            return
    try:
        qualify(tree.copy(), schema=SCHEMA, dialect=DIALECT, quote_identifiers=False)
    except sqlglot.errors.SqlglotError as error:
        yield f"a name does not resolve: {str(error).splitlines()[0]}"


def _unsteady(tree: exp.Expression) -> Iterator[str]:
    for function in tree.find_all(exp.Func):
        name = (function.name if isinstance(function, exp.Anonymous) else function.key).casefold()
        name = name.replace("_", "")
        if name in {item.replace("_", "") for item in UNSTEADY}:
            yield f"{function.sql(dialect=DIALECT)} is not the same on every run"
    for aggregate in tree.find_all(exp.Sum, exp.Avg, exp.Stddev, exp.Variance):
        read = {column.name for column in aggregate.find_all(exp.Column)} & FLOATS
        if read and aggregate.find(exp.Cast) is None:
            yield f"{aggregate.sql(dialect=DIALECT)} adds floating point in no fixed order; cast to numeric first"


def _cuts(tree: exp.Expression) -> Iterator[str]:
    for select in tree.find_all(exp.Query):
        if select.args.get("limit") is None:
            continue
        order = select.args.get("order")
        if order is None or len(order.expressions) < 2:
            yield "a LIMIT without a second ORDER BY key can cut through ties"


def _order(tree: exp.Expression, *, ordered: bool) -> Iterator[str]:
    has_order = tree.args.get("order") is not None
    if ordered and not has_order:
        yield "the question asks for an order and the gold has none"
    if not ordered and has_order and tree.args.get("limit") is None:
        yield "the gold orders rows and the question does not ask for it"


def _columns(tree: exp.Query, *, extra: tuple[str, ...]) -> Iterator[str]:
    names = [column.alias_or_name for column in tree.selects]
    if unknown := [name for name in extra if name not in names]:
        yield f"extra columns it does not return: {', '.join(unknown)}"
    if not set(names) - set(extra):
        yield "all of its columns are extra"
    if len(set(names)) < len(names):
        yield "two of its columns have the same name"
