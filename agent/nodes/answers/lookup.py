"""The numbers that an answer about one result may use."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import permutations

from agent.guard import QueryResult
from agent.nodes.answers.facts import Facts, is_number
from agent.nodes.answers.rows import Clause
from agent.nodes.answers.sources import counted_numbers, given_numbers, name_numbers, time_numbers

_RATIO = re.compile(r"share|rate|ratio|change|growth", re.IGNORECASE)
_HUNDRED = re.compile(r"(?<![\w.])100(?:\.0+)?(?![\w.])")
_COMPARED_ROWS = 6
_SHARED_ROWS = 6


class Numbers:
    """Numbers to look up by interval: some as they are, some as percentages."""

    def __init__(self, plain: Iterable[Decimal], percentages: Iterable[Decimal] = ()) -> None:
        self._plain = sorted(plain)
        self._percentages = sorted(percentages)

    def has_plain(self, low: Decimal, high: Decimal) -> bool:
        """Whether a number lies in the interval, ends included."""
        return _has(self._plain, low, high)

    def has_percentage(self, low: Decimal, high: Decimal) -> bool:
        """Whether a percentage lies in the interval, ends included."""
        return _has(self._percentages, low, high)


class Lookup:
    """The sources of one result.

    Attributes:
        given: numbers of the question and of the SQL's literals.
    """

    def __init__(self, question: str, result: QueryResult, facts: Facts) -> None:
        self.given = given_numbers(question, result.sql_run)
        self._result = result
        self._facts = facts
        self._measures = [index for index, column in enumerate(facts.columns) if column.highest is not None]

    def numbers(self, clause: Clause) -> Iterator[Numbers]:
        """Return the sources of a clause, the cheapest first; cells of named rows only where it names rows."""
        yield self._fixed
        yield self._of_rows(clause.rows) if clause.rows else self._of_all_rows
        yield Numbers([Decimal(len(clause.sentence_rows))])
        if not self._facts.truncated:
            yield self._compared(clause)
            yield self._shares(clause)

    @cached_property
    def _fixed(self) -> Numbers:
        plain = set(self.given) | counted_numbers(self._result, self._facts)
        plain |= time_numbers(self._result) | name_numbers(self._result)
        for index in self._measures:
            column = self._facts.columns[index]
            if column.total is not None and column.nulls < self._facts.row_count:
                total = Decimal(str(column.total))
                plain |= {total, total / (self._facts.row_count - column.nulls)}
        return Numbers(plain, [*self.given, *(number * 100 for number in self.given if number <= 1)])

    @cached_property
    def _of_all_rows(self) -> Numbers:
        extremes = [
            Decimal(str(end))
            for column in self._facts.columns
            for end in (column.lowest, column.highest)
            if end is not None
        ]
        return self._of_rows(range(len(self._result.rows)), extremes)

    def _of_rows(self, rows: Iterable[int], more: Iterable[Decimal] = ()) -> Numbers:
        plain: list[Decimal] = list(more)
        percentages: list[Decimal] = []
        for row in rows:
            for index, cell in self._cells(row):
                plain.append(cell)
                if index in self._percentages:
                    percentages.append(cell * self._percentages[index])
        return Numbers(plain, percentages)

    def _compared(self, clause: Clause) -> Numbers:
        """Sums, differences, ratios and percent changes: of two named rows in one column, of two columns in one row."""
        plain: list[Decimal] = []
        percentages: list[Decimal] = []
        named = clause.sentence_rows or (range(2) if len(self._result.rows) == 2 else range(0))
        for index in self._measures:
            cells = self._column(index, list(named)[:_COMPARED_ROWS])
            if len(cells) > 1:
                plain.append(sum(cells, Decimal(0)))
            for first, second in permutations(cells, 2):
                _compare(first, second, plain=plain, percentages=percentages)
        for row in clause.rows or clause.sentence_rows or ((0,) if len(self._result.rows) == 1 else ()):
            cells = [cell for index, cell in self._cells(row) if index in self._measures][:_COMPARED_ROWS]
            for first, second in permutations(cells, 2):
                _compare(first, second, plain=plain, percentages=percentages)
                if second:
                    percentages.append(first / second * 100)
        return Numbers(plain, percentages)

    def _shares(self, clause: Clause) -> Numbers:
        """Parts of a column's total: of the rows that are named, one by one and together."""
        percentages: list[Decimal] = []
        rows = clause.rows or clause.sentence_rows or range(min(len(self._result.rows), _SHARED_ROWS))
        for index in self._measures:
            total = Decimal(str(self._facts.columns[index].total or 0))
            if total:
                together = sum(self._column(index, clause.sentence_rows), Decimal(0))
                percentages += [part / total * 100 for part in [*self._column(index, rows), together]]
        return Numbers((), percentages)

    @cached_property
    def _percentages(self) -> dict[int, int]:
        """Columns whose numbers may be written with a percent sign, and what turns them into percentages.

        Counts may not: a column of whole numbers is a percentage by its name only. Numbers up to 1 are shares, unless
        the SQL multiplies by 100.
        """
        by_hundred = _HUNDRED.search(self._result.sql_run) is not None
        found: dict[int, int] = {}
        for index, column in enumerate(self._facts.columns):
            cells = self._column(index, range(len(self._result.rows)))
            if column.percent:
                found[index] = 1
            elif _RATIO.search(column.name) or any(cell != cell.to_integral_value() for cell in cells):
                is_share = all(abs(cell) <= 1 for cell in cells)
                if by_hundred or _RATIO.search(column.name) or is_share:
                    found[index] = 100 if is_share and not by_hundred else 1
        return found

    def _column(self, index: int, rows: Iterable[int]) -> list[Decimal]:
        return [cell for row in rows if (cell := _number(self._result.rows[row][index])) is not None]

    def _cells(self, row: int) -> list[tuple[int, Decimal]]:
        cells = enumerate(self._result.rows[row])
        return [(index, number) for index, cell in cells if (number := _number(cell)) is not None]


def _compare(first: Decimal, second: Decimal, *, plain: list[Decimal], percentages: list[Decimal]) -> None:
    plain.append(first - second)
    percentages.append(first - second)
    if second:
        plain.append(first / second)
        percentages.append((first - second) / second * 100)


def _number(cell: object) -> Decimal | None:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return Decimal(cell)
    return Decimal(str(cell)) if is_number(cell) else None


def _has(numbers: list[Decimal], low: Decimal, high: Decimal) -> bool:
    place = bisect_left(numbers, low)
    return place < len(numbers) and numbers[place] <= high
