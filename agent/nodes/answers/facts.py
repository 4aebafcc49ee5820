"""Facts computed over a whole result, so that nobody has to add up or compare numbers by eye."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from agent.guard import QueryResult

ColumnKind = Literal["number", "text", "boolean", "time", "other"]
Number = int | float | Decimal
# Numbers that name something (a year, a code, a place in a ranking): adding them up means nothing.
_NAMING = re.compile(
    r"(^|_)(year|month|day|hour|quarter|week|id|code|no|number|district|ward|beat|area|rank|ranking|position|row_num"
    r"|iucr|latitude|longitude|coordinate)($|_)",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"pct|percent|share|rate|ratio|avg|average|mean|median|change|growth|diff|running|cumul", re.IGNORECASE
)
_PERCENT = re.compile(r"pct|percent", re.IGNORECASE)
_SHARE = re.compile(r"(^|_)(share|rate|change|growth)($|_)", re.IGNORECASE)
_BY_HUNDRED = re.compile(r"(?<![\w.])100(?:\.0+)?\s*\*|\*\s*100(?:\.0+)?(?![\w.])")


@dataclass(frozen=True)
class ColumnFacts:
    """One column over all rows of a result.

    Attributes:
        names: its numbers name something, such as a year; they have no total and are written without separators.
        percent: its name says that its numbers are percentages.
        total: the sum, for counted numbers of a whole result.
        lowest, highest: extremes of numbers that are no names, of a whole result.
        lowest_row, highest_row: the row of each extreme; None when several rows share it.
    """

    name: str
    kind: ColumnKind
    nulls: int
    distinct: int
    names: bool = False
    percent: bool = False
    total: Number | None = None
    lowest: Number | None = None
    highest: Number | None = None
    lowest_row: int | None = None
    highest_row: int | None = None


@dataclass(frozen=True)
class Facts:
    """What is true of a result as a whole; `label` is the index of the column that names the rows."""

    row_count: int
    truncated: bool
    columns: tuple[ColumnFacts, ...]
    label: int | None


def compute_facts(result: QueryResult) -> Facts:
    """Compute the facts of a result; a truncated one has no totals and no extremes."""
    columns = tuple(_column_facts(result, index) for index in range(len(result.columns)))
    return Facts(row_count=result.row_count, truncated=result.truncated, columns=columns, label=_label(columns))


def is_percentage(name: str, sql: str) -> bool:
    """Whether a column holds percentages: by its name, or a rate or share that the SQL multiplies by 100."""
    if _PERCENT.search(name):
        return True
    return _SHARE.search(name) is not None and _BY_HUNDRED.search(sql) is not None


def is_number(cell: object) -> bool:
    """Whether a cell is a finite number; true and false are none."""
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool) and math.isfinite(cell)


def _column_facts(result: QueryResult, index: int) -> ColumnFacts:
    name = result.columns[index]
    cells = [row[index] for row in result.rows]
    present = [cell for cell in cells if cell is not None]
    kind = _kind(present)
    names = kind == "number" and _NAMING.search(name) is not None and not _RATIO.search(name)
    facts = ColumnFacts(
        name=name,
        kind=kind,
        nulls=len(cells) - len(present),
        distinct=_distinct(present),
        names=names,
        percent=kind == "number" and is_percentage(name, result.sql_run),
    )
    if kind != "number" or names or result.truncated:
        return facts
    return _with_extremes(facts, cells)


def _with_extremes(facts: ColumnFacts, cells: list[object]) -> ColumnFacts:
    numbers = [cell for cell in cells if isinstance(cell, int | float | Decimal) and is_number(cell)]
    if not numbers:
        return facts
    counted = all(number == int(number) for number in numbers) and not _RATIO.search(facts.name)
    lowest, highest = min(numbers), max(numbers)
    return ColumnFacts(
        name=facts.name,
        kind=facts.kind,
        nulls=facts.nulls,
        distinct=facts.distinct,
        percent=facts.percent,
        total=_total(numbers) if counted else None,
        lowest=lowest,
        highest=highest,
        lowest_row=cells.index(lowest) if cells.count(lowest) == 1 else None,
        highest_row=cells.index(highest) if cells.count(highest) == 1 else None,
    )


def _distinct(cells: list[object]) -> int:
    try:
        return len(set(cells))
    except TypeError:
        return len({str(cell) for cell in cells})


def _total(numbers: list[Number]) -> Number:
    if all(isinstance(number, int) for number in numbers):
        return sum(int(number) for number in numbers)
    total = sum((Decimal(str(number)) for number in numbers), Decimal(0))
    return int(total) if total == int(total) else total


def _kind(cells: list[object]) -> ColumnKind:
    if not cells:
        return "other"
    if all(is_number(cell) for cell in cells):
        return "number"
    if all(isinstance(cell, bool) for cell in cells):
        return "boolean"
    if all(isinstance(cell, str) for cell in cells):
        return "text"
    return "time" if all(hasattr(cell, "isoformat") for cell in cells) else "other"


def _label(columns: tuple[ColumnFacts, ...]) -> int | None:
    """The first column that names rows: text, a flag, a date, or a number that is a name."""
    if len(columns) < 2:
        return None
    for index, column in enumerate(columns):
        if column.kind == "text" or column.names or column.kind in ("time", "boolean"):
            return index
    return None
