"""Composition rules for dates and clock times: what people write becomes conditions on the calendar columns."""

from dataclasses import dataclass
from datetime import date, timedelta

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition
from agent.semantic.predicates import AnyOf, Compare, Extreme, Predicate, both, one_of

DATES = RuleBook()


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


def _moment(match: Match, *parts: int | None, months: int = 1) -> Atom | None:
    year, month, day = (*parts, None, None, None)[:3]
    try:
        if month is not None:
            Moment(year, month, day, months).span(2000)
    except ValueError:
        return None
    return match.made("moment", Moment(year, month, day, months))


def _number(atoms: list[Atom]) -> int | None:
    return int(str(atoms[0].value)) if atoms else None


@DATES.rule("compare_op (month_name|iso_date)")
def up_to(match: Match) -> list[Atom] | None:
    """Up to March 2020."""
    if match.atoms[0].words.lower() != "up to":
        return None
    return [Atom("to", None, match.atoms[0].words, match.atoms[0].at), match.groups[0][0]]


@DATES.rule("iso_date")
def iso_date(match: Match) -> Atom | None:
    """2020-03-15."""
    try:
        found = date.fromisoformat(str(match.atoms[0].value))
    except ValueError:
        return None
    return _moment(match, found.year, found.month, found.day)


@DATES.rule("(month_name) (num|ord) comma? (year)")
def month_day_year(match: Match) -> Atom | None:
    """March 15, 2020."""
    month, day, year = map(_number, match.groups)
    return _moment(match, year, month, day)


@DATES.rule("(num|ord) (month_name) comma? (year)?")
def day_month_year(match: Match) -> Atom | None:
    """15 March 2020; the 4th of July."""
    day, month, year = map(_number, match.groups)
    return _moment(match, year, month, day)


@DATES.rule("(month_name) (ord)")
def month_day(match: Match) -> Atom | None:
    """July 4th, in any year."""
    month, day = map(_number, match.groups)
    return _moment(match, None, month, day)


@DATES.rule("(month_name) comma? (year)")
def month_year(match: Match) -> Atom | None:
    """January 2020, with earlier months of a list kept for their own rule."""
    month, year = map(_number, match.groups)
    if match.before and match.before[-1].kind in {"and", "or", "to"} and _listed_month(match):
        return None
    return _moment(match, year, month)


def _listed_month(match: Match) -> bool:
    return len(match.before) > 1 and match.before[-2].kind == "month_name"


@DATES.rule("(month_name) ((comma|and|or)+ month_name)+ comma? (year)")
def months_of_year(match: Match) -> Atom:
    """January, February and March 2020."""
    if any(atom.kind == "and" for atom in match.atoms) and match.before and match.before[-1].kind == "between":
        months = [Moment(None, _number([a])) for a in match.atoms if a.kind == "month_name"]
        year = _number(match.groups[-1])
        return match.made("range", (Moment(year, months[0].month), Moment(year, months[-1].month)))
    months_in = [int(str(atom.value)) for atom in match.atoms if atom.kind == "month_name"]
    year_is = Compare("YEAR", "=", int(str(match.groups[-1][0].value)))
    return match.made("cond", Condition(both([one_of("MONTH", months_in), year_is])))


@DATES.rule("between? range")
def between_months(match: Match) -> Atom | None:
    """Between March and May 2020, both months included."""
    first, last = match.atoms[-1].value  # type: ignore[misc]  # a range atom holds a pair of moments
    return _range(match, first, last)


@DATES.rule("(ord|latest) dim_quarter (year)?")
def ordinal_quarter(match: Match) -> Atom | None:
    """The first quarter of 2019; the last quarter."""
    which, year = match.groups
    number = 4 if which[0].kind == "latest" else _number(which)
    if number is None or not 1 <= number <= 4:
        return None
    return _moment(match, _number(year), 3 * number - 2, months=3)


@DATES.rule("(quarter_no) comma? (year)?")
def short_quarter(match: Match) -> Atom | None:
    """Q3 2019."""
    quarter, year = map(_number, match.groups)
    assert quarter is not None
    return _moment(match, year, 3 * quarter - 2, months=3)


@DATES.rule("(year) quarter_no")
def year_short_quarter(match: Match) -> Atom | None:
    """2019 Q3."""
    return _moment(match, _number(match.groups[0]), 3 * int(str(match.atoms[-1].value)) - 2, months=3)


@DATES.rule("(ord|latest) half (year)?")
def half_year(match: Match) -> Atom | None:
    """The first half of 2020; the second half of the year."""
    which, year = match.groups
    number = 2 if which[0].kind == "latest" else _number(which)
    if number not in (1, 2) or (not year and match.after and match.after[0].kind not in {"dim_year"}):
        return None
    return _moment(match, _number(year), 1 if number == 1 else 7, months=6)


@DATES.rule("(ord|latest|earliest|top) (num) dim_month (year)?")
def several_months(match: Match) -> Atom | None:
    """The first three months of 2020."""
    which, count, year = match.groups
    months = _number(count) or 0
    if not year or not 1 <= months <= 12:
        return None
    start = 13 - months if which[0].kind == "latest" else 1
    return _moment(match, _number(year), start, months=months)


@DATES.rule("decade")
def decade(match: Match) -> Atom | None:
    """The 2010s."""
    first = int(str(match.atoms[0].value))
    if first % 10 or first not in range(1990, 2031):
        return None
    return match.made("cond", Condition(both([Compare("YEAR", ">=", first), Compare("YEAR", "<=", first + 9)])))


@DATES.rule("(compare_op) (year) (pop|cond)")
def number_not_year(match: Match) -> list[Atom] | None:
    """More than 2000 thefts: a number that only looks like a year."""
    year = match.groups[1][0]
    return [match.groups[0][0], Atom("num", year.value, year.words, year.at), match.groups[2][0]]


@DATES.rule("(dim_year)? (year)")
def plain_year(match: Match) -> Atom | None:
    """2019; the year 2019."""
    return _moment(match, _number(match.groups[1]))


@DATES.rule("(month_name)")
def plain_month(match: Match) -> Atom | None:
    """In December, of every year."""
    return _moment(match, None, _number(match.groups[0]))


@DATES.rule("(between|from|since)? (moment) (to|and) (moment)")
def from_to(match: Match) -> Atom | None:
    """From 2015 to 2018; between March and May 2020; 2015 through 2018."""
    lead, first, link, last = match.groups
    if link[0].kind == "and" and (not lead or lead[0].kind != "between"):
        return None
    if match.after and match.after[0].kind == "clash":
        return None
    return _range(match, first[0].value, last[0].value)


def _range(match: Match, first: object, last: object) -> Atom | None:
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


@DATES.rule("(from|since) (moment) (onward)?")
def since_moment(match: Match) -> Atom:
    """Since 2015; from March 2020 onward."""
    return match.made("cond", Condition(_bound(match.groups[1][0].value, ">=")))


@DATES.rule("(moment) (onward)")
def moment_onward(match: Match) -> Atom:
    """2015 onwards; 2015 or later."""
    return match.made("cond", Condition(_bound(match.groups[0][0].value, ">=")))


@DATES.rule("(after) (moment)")
def after_moment(match: Match) -> Atom:
    """After 2015: the year itself is out."""
    return match.made("cond", Condition(_bound(match.groups[1][0].value, ">")))


@DATES.rule("(before) (moment)")
def before_moment(match: Match) -> Atom:
    """Before 2015: the year itself is out."""
    return match.made("cond", Condition(_bound(match.groups[1][0].value, "<")))


@DATES.rule("(until|to) (moment)")
def until_moment(match: Match) -> Atom:
    """Until 2015: the year itself is in."""
    return match.made("cond", Condition(_bound(match.groups[1][0].value, "<=")))


def _bound(moment: object, operator: str) -> Predicate:
    assert isinstance(moment, Moment)
    if moment.month is None and moment.year is not None:
        return Compare("YEAR", operator, moment.year)  # type: ignore[arg-type]  # one of the four literals above
    if moment.year is None and moment.day is None:
        return Compare("MONTH", operator, moment.month or 0)  # type: ignore[arg-type]  # as above
    start, end = moment.span()
    inclusive = {">=": (">=", start), ">": (">=", end), "<": ("<", start), "<=": ("<", end)}
    compared, at = inclusive[operator]
    return Compare("INCIDENT_DATE", compared, at.isoformat())  # type: ignore[arg-type]  # ">=" or "<"


@DATES.rule("(earliest|latest) (num)? (dim_year)")
def newest_years(match: Match) -> Atom | None:
    """The most recent year in the data; the last three years of the data."""
    which, number, _ = match.groups
    if match.before and match.before[-1].kind in {"which", "and"} or match.after and match.after[0].kind == "ord":
        return None
    kind = "max" if which[0].kind == "latest" else "min"
    back = (_number(number) or 1) - 1
    return match.made("cond", Condition(Extreme("YEAR", kind, back)))  # type: ignore[arg-type]  # max or min


@DATES.rule("(moment)")
def plain_moment(match: Match) -> Atom:
    """A moment that no other date rule took."""
    moment = match.atoms[0].value
    assert isinstance(moment, Moment)
    return match.made("cond", Condition(moment.condition()))


@DATES.rule("(num) ampm")
def clock_time(match: Match) -> Atom | None:
    """8 pm."""
    hour = _number(match.groups[0]) or 0
    if not 1 <= hour <= 12:
        return None
    return match.made("clock", hour % 12 + (12 if match.atoms[-1].value == "pm" else 0))


@DATES.rule("(clock) ampm")
def clock_minutes(match: Match) -> Atom:
    """8:30 pm, read as the hour it lies in."""
    hour = int(str(match.atoms[0].value))
    return match.made("clock", hour % 12 + (12 if match.atoms[-1].value == "pm" else 0))


@DATES.rule("(compare_op) (comma|to)* (clock)")
def up_to_hour(match: Match) -> list[Atom] | None:
    """Up to, but not including, 6 am."""
    if match.groups[0][0].words.lower() != "up to":
        return None
    return [Atom("to", None, "up to", match.atoms[0].at), match.groups[2][0]]


@DATES.rule("(between|from)? (clock|num) comma* (to|and) comma* to* comma* (clock) dim_hour?")
def clock_range(match: Match) -> Atom | None:
    """Between 10 pm and 4 am: the first hour is in, the last is out."""
    lead, first, link, last = match.groups
    if link[0].kind == "and" and not lead:
        return None
    start, end = int(str(first[0].value)), int(str(last[0].value)) or 24
    if first[0].kind == "num" and (not lead or start > 12):
        return None
    if first[0].kind == "num" and end > 12 and start < 12:
        start += 12
    low, high = Compare("HOUR", ">=", start), Compare("HOUR", "<", end)
    if end == 24:
        return match.made("cond", Condition(low))
    return match.made("cond", Condition(both([low, high]) if start < end else AnyOf((low, high))))


@DATES.rule("(after|before|since|until|from) (clock)")
def clock_bound(match: Match) -> Atom:
    """After 8 pm; before noon."""
    word, hour = match.atoms[0].kind, int(str(match.atoms[1].value))
    operator = ">=" if word in {"after", "since", "from"} else "<"
    return match.made("cond", Condition(Compare("HOUR", operator, hour)))


@DATES.rule("(clock) dim_hour?")
def clock_hour(match: Match) -> Atom:
    """At 3 am: the hour that begins then."""
    return match.made("cond", Condition(Compare("HOUR", "=", int(str(match.atoms[0].value)))))
