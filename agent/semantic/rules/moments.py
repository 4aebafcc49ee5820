"""Years, quarters, months and days, and the conditions they stand for."""

from dataclasses import dataclass
from datetime import date, timedelta

from agent.semantic.grammar import Atom, Match
from agent.semantic.meanings import Condition
from agent.semantic.predicates import AnyOf, Compare, Predicate, both


@dataclass(frozen=True)
class Moment:
    """A year, quarter, month or day; `year` is None when it was left open."""

    year: int | None
    month: int | None = None
    day: int | None = None
    months: int = 1

    def span(self, year: int | None = None) -> tuple[date, date]:
        """Return the first day and the day after the last."""
        at = self.year or year or 2000
        if self.month is None:
            return date(at, 1, 1), date(at + 1, 1, 1)
        if self.day is not None:
            start = date(at, self.month, self.day)
            return start, start + timedelta(days=1)
        last = self.month + self.months
        return date(at, self.month, 1), date(at + (last - 1) // 12, (last - 1) % 12 + 1, 1)

    def condition(self) -> Predicate:
        """Return the condition that an incident lies in it."""
        parts: list[Predicate] = [] if self.year is None else [Compare("YEAR", "=", self.year)]
        if self.day is not None and self.year is not None:
            return _between(*self.span())
        if self.months == 3 and self.month is not None:
            parts.append(Compare("QUARTER", "=", (self.month + 2) // 3))
        elif self.month is not None and self.months > 1:
            parts += [Compare("MONTH", ">=", self.month), Compare("MONTH", "<=", self.month + self.months - 1)]
        elif self.month is not None:
            parts.append(Compare("MONTH", "=", self.month))
        if self.day is not None:
            parts.append(Compare("DAY", "=", self.day))
        return parts[0] if len(parts) == 1 else both(parts)


def _between(start: date, end: date) -> Predicate:
    return both([Compare("INCIDENT_DATE", ">=", start.isoformat()), Compare("INCIDENT_DATE", "<", end.isoformat())])


def moment_atom(match: Match, *parts: int | None, months: int = 1) -> Atom | None:
    """Return the atom of a date; None when there is no such date."""
    year, month, day = (*parts, None, None, None)[:3]
    try:
        if month is not None:
            Moment(year, month, day, months).span(2000)
    except ValueError:
        return None
    return match.made("moment", Moment(year, month, day, months))


def number_of(atoms: list[Atom]) -> int | None:
    """Return the number of the first atom; None when there is no atom."""
    return int(str(atoms[0].value)) if atoms else None


def range_atom(match: Match, first: object, last: object) -> Atom | None:
    """Return the condition that an incident lies between two moments, both included."""
    assert isinstance(first, Moment)
    assert isinstance(last, Moment)
    if first.year is None and last.year is not None:
        first = Moment(last.year, first.month, first.day, first.months)
    return match.made("cond", Condition(_span(first, last)))


def _span(first: Moment, last: Moment) -> Predicate:
    if first.month is None and last.month is None:
        return both([Compare("YEAR", ">=", first.year or 0), Compare("YEAR", "<=", last.year or 0)])
    if first.year is None and last.year is None and first.day is None:
        low, high = Compare("MONTH", ">=", first.month or 0), Compare("MONTH", "<=", last.month or 0)
        return both([low, high]) if (first.month or 0) <= (last.month or 0) else AnyOf((low, high))
    return _between(first.span()[0], last.span(first.year)[1])


def bound(moment: object, operator: str) -> Predicate:
    """Return the condition that an incident lies on one side of a moment."""
    assert isinstance(moment, Moment)
    if moment.month is None and moment.year is not None:
        return Compare("YEAR", operator, moment.year)  # type: ignore[arg-type]  # one of the four literals above
    if moment.year is None and moment.day is None:
        return Compare("MONTH", operator, moment.month or 0)  # type: ignore[arg-type]  # as above
    start, end = moment.span()
    inclusive = {">=": (">=", start), ">": (">=", end), "<": ("<", start), "<=": ("<", end)}
    compared, at = inclusive[operator]
    return Compare("INCIDENT_DATE", compared, at.isoformat())  # type: ignore[arg-type]  # ">=" or "<"
