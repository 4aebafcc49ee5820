"""A gold on one snapshot: its result and every result that is as right.

As right are results without the columns the question does not ask for, and those in which rows tied at the LIMIT take
each other's place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from agent.benchmark.comparator import Blocks, Table
from agent.benchmark.ties import tied_alternatives


@dataclass(frozen=True)
class Alternative:
    """One right result, and the runs of its rows that tie in the measure it is sorted by."""

    table: Table
    blocks: Blocks | None


@dataclass(frozen=True)
class Gold:
    """The right results of one accepted gold on one snapshot.

    Attributes:
        table: the result as the gold's SQL gives it.
        alternatives: all right results, `table` first.
        exact: those with all of the gold's columns, or with only the ones asked for: what EM and `strict` accept.
    """

    table: Table
    alternatives: tuple[Alternative, ...]
    exact: tuple[Alternative, ...]


def make_gold(table: Table, *, ahead: Table | None, tie_column: int | None, extra_columns: Sequence[str]) -> Gold:
    """Return the gold of a result.

    Args:
        table: the result of the gold's SQL.
        ahead: the result of its look-ahead SQL, if it has a LIMIT over a measure.
        tie_column: position of the measure it is sorted by.
        extra_columns: names of output columns the question does not ask for.
    """
    extra = {name.casefold() for name in extra_columns}
    optional = [n for n, name in enumerate(table.columns) if name.casefold() in extra]
    ties = (table,) if ahead is None or tie_column is None else tied_alternatives(table, ahead, column=tie_column)
    dropped = [set(chosen) for size in range(len(optional) + 1) for chosen in combinations(optional, size)]
    every = [_without(tied, drop, tie_column) for drop in dropped for tied in ties]
    ends = [
        _without(tied, drop, tie_column) for drop in ([set(), set(optional)] if optional else [set()]) for tied in ties
    ]
    return Gold(table=table, alternatives=tuple(every), exact=tuple(ends))


def _without(table: Table, drop: set[int], tie_column: int | None) -> Alternative:
    blocks = None if tie_column is None else _tie_blocks(table, tie_column)
    if not drop:
        return Alternative(table=table, blocks=blocks)
    kept = [n for n in range(len(table.columns)) if n not in drop]
    narrow = Table(
        columns=tuple(table.columns[n] for n in kept), rows=[tuple(row[n] for n in kept) for row in table.rows]
    )
    return Alternative(table=narrow, blocks=blocks)


def _tie_blocks(table: Table, column: int) -> Blocks:
    blocks, start = [], 0
    for n in range(1, len(table.rows) + 1):
        if n == len(table.rows) or table.rows[n][column] != table.rows[start][column]:
            blocks.append((start, n))
            start = n
    return tuple(blocks)
