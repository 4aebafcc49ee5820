"""Ties of a gold: by which column it sorts, and which rows are as right when its LIMIT cuts through equal values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import sqlglot
from sqlglot import exp

from agent.benchmark.comparator import Table
from agent.guard import GuardPostgres

MAX_ALTERNATIVES = 50
LOOK_AHEAD = 50


@dataclass(frozen=True)
class Ordering:
    """What the gold's text says of order: the sorting column's position and the LIMIT, where there are."""

    tie_column: int | None
    limit: int | None
    look_ahead_sql: str | None


def read_ordering(sql: str) -> Ordering:
    """Return the ordering of a gold's outermost query.

    The sorting column is the output column of the first ORDER BY term when that term is a measure (an aggregate, a
    window or a name of one): the terms behind it only break ties. `look_ahead_sql` asks for rows beyond the LIMIT.
    """
    tree = sqlglot.parse_one(sql, dialect="postgres")
    order = tree.args.get("order")
    limit = _literal_limit(tree)
    if order is None or not isinstance(tree, exp.Select):
        return Ordering(tie_column=None, limit=limit, look_ahead_sql=None)
    column = _measure_position(order.expressions[0].this, tree)
    ahead = None
    if column is not None and limit is not None:
        written = sqlglot.parse_one(sql, dialect=GuardPostgres)
        assert isinstance(written, exp.Query)
        ahead = written.limit(limit + LOOK_AHEAD).sql(dialect=GuardPostgres)
    return Ordering(tie_column=column, limit=limit, look_ahead_sql=ahead)


def tied_alternatives(table: Table, ahead: Table, *, column: int) -> tuple[Table, ...]:
    """Return the results that are as right as `table`, itself first.

    Args:
        table: the gold's result.
        ahead: the result of its look-ahead SQL: the same rows, then some more.
        column: position of the sorting column.
    """
    if not table.rows or len(ahead.rows) <= len(table.rows):
        return (table,)
    last = table.rows[-1][column]
    head = [row for row in table.rows if row[column] != last]
    pool = [row for row in ahead.rows if row[column] == last]
    places = len(table.rows) - len(head)
    if len(pool) == places:
        return (table,)
    return tuple(islice(_choices(table, head, pool, places), MAX_ALTERNATIVES))


def _choices(table: Table, head: list[Sequence[object]], pool: list[Sequence[object]], places: int) -> Iterator[Table]:
    yield table
    for chosen in combinations(pool, places):
        rows = [*head, *chosen]
        if rows != list(table.rows):
            yield Table(columns=table.columns, rows=rows)


def _literal_limit(tree: exp.Expr) -> int | None:
    limit = tree.args.get("limit")
    value = limit.expression if isinstance(limit, exp.Limit) else None
    return int(value.this) if isinstance(value, exp.Literal) and not value.is_string else None


def _measure_position(term: exp.Expr, tree: exp.Select) -> int | None:
    outputs = tree.expressions
    if isinstance(term, exp.Literal) and not term.is_string:
        position = int(term.this) - 1
    else:
        position = _position_of(term, outputs)
    if not 0 <= position < len(outputs):
        return None
    return position if _is_measure(outputs[position], tree) else None


def _position_of(term: exp.Expr, outputs: list[exp.Expr]) -> int:
    for n, output in enumerate(outputs):
        named = isinstance(term, exp.Column) and not term.table and output.alias_or_name == term.name
        if named or output.unalias() == term:
            return n
    return -1


def _is_measure(output: exp.Expr, tree: exp.Select) -> bool:
    if output.find(exp.AggFunc, exp.Window):
        return True
    # A name that comes from a CTE or sub-query: what it stands for is looked up there.
    names = {column.name for column in output.find_all(exp.Column)}
    return any(
        inner.alias in names and inner.find(exp.AggFunc, exp.Window) is not None for inner in tree.find_all(exp.Alias)
    )
