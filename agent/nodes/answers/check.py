"""Every number of an answer is looked up; one that nothing supports is reported as it was written."""

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

from agent.guard import QueryResult
from agent.nodes.answers.claims import Claim, find_claims
from agent.nodes.answers.facts import Facts, is_number
from agent.nodes.answers.masks import mask_names
from agent.nodes.answers.rows import Clause, split_clauses
from agent.nodes.answers.sources import counted_numbers, given_numbers, time_numbers

_FALL = re.compile(
    r"\b(?:fell|fall|falls|fallen|drop\w*|decreas\w*|declin\w*|down|fewer|less|lower|lost|reduc\w*|shrank|shrunk|negative"
    r"|minus|below|under)\b",
    re.IGNORECASE,
)
_EXTREME = re.compile(
    r"\b(?:totals?|in all|altogether|overall|sum|highest|lowest|most|fewest|maximum|minimum|peak|largest|smallest)\b",
    re.IGNORECASE,
)
_RATIO = re.compile(r"share|rate|ratio|change|growth", re.IGNORECASE)
_HUNDRED = re.compile(r"(?<![\w.])100(?:\.0+)?(?![\w.])")
_PAIRED_ROWS = 6
_TINY = Decimal("1e-9")


def unsupported_numbers(text: str, *, question: str, result: QueryResult, facts: Facts) -> tuple[str, ...]:
    """Return the numbers of a text that have no source, in the order they stand, each once.

    Sources are cells, numbers of the question and of SQL literals, counts of rows and groups, parts of dates, totals
    and means of whole columns, and for rows named in a sentence their shares, differences, ratios and percent changes.
    A number matches a source that, written to as many places (or in as many thousands or millions), gives it. A share
    becomes a percentage only where the text has the sign or the word. In a clause that names rows of the result, a cell
    of another row is no source.
    """
    lookup = _Lookup(question, result, facts)
    found: list[str] = []
    for clause in split_clauses(mask_names(text, question=question, result=result), result=result, facts=facts):
        for claim in find_claims(clause.text):
            if not lookup.supports(claim, clause) and claim.text not in found:
                found.append(claim.text)
    return tuple(found)


@dataclass(frozen=True)
class _Source:
    value: Decimal
    percent: bool


class _Lookup:
    """The sources of one result."""

    def __init__(self, question: str, result: QueryResult, facts: Facts) -> None:
        self._result = result
        self._facts = facts
        self._given = given_numbers(question, result.sql_run)
        self._counts = counted_numbers(result, facts)
        self._times = time_numbers(result)
        self._percentages = self._find_percentages()

    def supports(self, claim: Claim, clause: Clause) -> bool:
        if claim.unit == "ordinal" and 1 <= claim.value <= self._facts.row_count:
            return True
        if self._facts.truncated and _EXTREME.search(clause.text) and claim.value not in self._given:
            return False
        falling = _FALL.search(clause.sentence) is not None
        return any(_matches(claim, source, falling) for source in self._sources(clause))

    def _sources(self, clause: Clause) -> list[_Source]:
        sources = [_Source(number, True) for number in self._given]
        sources += [_Source(number, False) for number in self._given]
        sources += [_Source(number, False) for number in self._counts | self._times]
        sources += [_Source(Decimal(len(clause.sentence_rows)), False)]
        rows = clause.rows or range(len(self._result.rows))
        for row in rows:
            sources += self._cells(row)
        if not self._facts.truncated:
            sources += self._column_sources(clause)
        return sources

    def _cells(self, row: int) -> list[_Source]:
        sources = []
        for index in range(len(self._facts.columns)):
            cell = self._number(row, index)
            if cell is None:
                continue
            sources.append(_Source(cell, False))
            if index in self._percentages:
                sources.append(_Source(cell * self._percentages[index], True))
        return sources

    def _column_sources(self, clause: Clause) -> list[_Source]:
        sources = []
        for index, column in enumerate(self._facts.columns):
            if column.highest is None:
                continue
            if column.total is not None:
                total = Decimal(str(column.total))
                present = self._facts.row_count - column.nulls
                sources += [_Source(total, False), _Source(total / present, False)]
                if total:
                    sources += self._shares(index, total, clause)
            sources += self._pairs(index, clause)
        if len(self._result.rows) == 1 or clause.sentence_rows:
            sources += self._across(clause)
        return sources

    def _shares(self, index: int, total: Decimal, clause: Clause) -> list[_Source]:
        rows = clause.rows or clause.sentence_rows or range(min(len(self._result.rows), _PAIRED_ROWS))
        cells = [cell for row in rows if (cell := self._number(row, index)) is not None]
        together = sum((self._number(row, index) or Decimal(0) for row in clause.sentence_rows), Decimal(0))
        shares = [_Source(part / total * 100, True) for part in [*cells, together]]
        return [*shares, _Source(together, False)] if len(clause.sentence_rows) > 1 else shares

    def _pairs(self, index: int, clause: Clause) -> list[_Source]:
        named = clause.sentence_rows or (range(2) if len(self._result.rows) == 2 else ())
        cells = [cell for row in list(named)[:_PAIRED_ROWS] if (cell := self._number(row, index)) is not None]
        return [source for first, second in permutations(cells, 2) for source in _compare(first, second)]

    def _across(self, clause: Clause) -> list[_Source]:
        """Comparisons of two columns within one row."""
        measured = [index for index, column in enumerate(self._facts.columns) if column.highest is not None]
        sources = []
        for row in clause.rows or clause.sentence_rows or (0,):
            cells = [cell for index in measured if (cell := self._number(row, index)) is not None]
            for first, second in permutations(cells[:_PAIRED_ROWS], 2):
                sources += _compare(first, second)
                if second:
                    sources.append(_Source(first / second * 100, True))
        return sources

    def _number(self, row: int, index: int) -> Decimal | None:
        cell = self._result.rows[row][index]
        return Decimal(str(cell)) if is_number(cell) else None

    def _find_percentages(self) -> dict[int, int]:
        """Columns whose numbers may be written with a percent sign, and what turns them into percentages.

        Counts may not: a column of whole numbers is a percentage by its name only. Numbers up to 1 are shares, unless
        the SQL multiplies by 100.
        """
        found: dict[int, int] = {}
        for index, column in enumerate(self._facts.columns):
            cells = [cell for row in range(len(self._result.rows)) if (cell := self._number(row, index)) is not None]
            if column.percent:
                found[index] = 1
            elif _RATIO.search(column.name) or any(cell != cell.to_integral_value() for cell in cells):
                is_share = all(abs(cell) <= 1 for cell in cells) and not _HUNDRED.search(self._result.sql_run)
                found[index] = 100 if is_share else 1
        return found


def _compare(first: Decimal, second: Decimal) -> list[_Source]:
    sources = [_Source(first - second, False), _Source(first - second, True)]
    if second:
        sources += [_Source(first / second, False), _Source((first - second) / second * 100, True)]
    return sources


def _matches(claim: Claim, source: _Source, falling: bool) -> bool:
    if claim.unit == "fraction":
        return source.percent and abs(source.value / 100 - claim.value) <= claim.step / 2
    if (claim.unit == "percent") != source.percent:
        return False
    value = source.value
    if value < 0 < claim.value and falling:
        value = -value
    if abs(value - claim.value) <= claim.step / 2 + _TINY:
        return True
    if claim.bound == "exact" or claim.unit in ("ordinal", "hour") or not _is_round(claim):
        return False
    if claim.bound == "about":
        return abs(value - claim.value) <= claim.zeros / 2
    if claim.bound == "over":
        return claim.value <= value < claim.value + claim.zeros
    return claim.value - claim.zeros < value <= claim.value


def _is_round(claim: Claim) -> bool:
    """Whether a number is plausibly rounded: two digits that are not zero, or one of thousands and more."""
    return claim.zeros * 10 <= abs(claim.value) or claim.step >= 1000
