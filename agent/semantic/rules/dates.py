"""Composition rules for dates: what people write becomes conditions on the calendar columns."""

from datetime import date

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition
from agent.semantic.predicates import Compare, both, one_of
from agent.semantic.rules.moments import Moment, moment_atom, number_of, range_atom

DATES = RuleBook()


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
    return moment_atom(match, found.year, found.month, found.day)


@DATES.rule("(month_name) (num|ord) comma? (year)")
def month_day_year(match: Match) -> Atom | None:
    """March 15, 2020."""
    month, day, year = map(number_of, match.groups)
    return moment_atom(match, year, month, day)


@DATES.rule("(num|ord) (month_name) comma? (year)?")
def day_month_year(match: Match) -> Atom | None:
    """15 March 2020; the 4th of July."""
    day, month, year = map(number_of, match.groups)
    return moment_atom(match, year, month, day)


@DATES.rule("(month_name) (ord)")
def month_day(match: Match) -> Atom | None:
    """July 4th, in any year."""
    month, day = map(number_of, match.groups)
    return moment_atom(match, None, month, day)


@DATES.rule("(month_name) comma? (year)")
def month_year(match: Match) -> Atom | None:
    """January 2020, with earlier months of a list kept for their own rule."""
    month, year = map(number_of, match.groups)
    if match.before and match.before[-1].kind in {"and", "or", "to"} and _listed_month(match):
        return None
    return moment_atom(match, year, month)


def _listed_month(match: Match) -> bool:
    return len(match.before) > 1 and match.before[-2].kind == "month_name"


@DATES.rule("(month_name) ((comma|and|or)+ month_name)+ comma? (year)")
def months_of_year(match: Match) -> Atom:
    """January, February and March 2020."""
    if any(atom.kind == "and" for atom in match.atoms) and match.before and match.before[-1].kind == "between":
        months = [Moment(None, number_of([a])) for a in match.atoms if a.kind == "month_name"]
        year = number_of(match.groups[-1])
        return match.made("range", (Moment(year, months[0].month), Moment(year, months[-1].month)))
    months_in = [int(str(atom.value)) for atom in match.atoms if atom.kind == "month_name"]
    year_is = Compare("YEAR", "=", int(str(match.groups[-1][0].value)))
    return match.made("cond", Condition(both([one_of("MONTH", months_in), year_is])))


@DATES.rule("between? range")
def between_months(match: Match) -> Atom | None:
    """Between March and May 2020, both months included."""
    pair = match.atoms[-1].value
    assert isinstance(pair, tuple)
    return range_atom(match, pair[0], pair[1])


@DATES.rule("(ord|latest) dim_quarter (year)?")
def ordinal_quarter(match: Match) -> Atom | None:
    """The first quarter of 2019; the last quarter."""
    which, year = match.groups
    number = 4 if which[0].kind == "latest" else number_of(which)
    if number is None or not 1 <= number <= 4:
        return None
    return moment_atom(match, number_of(year), 3 * number - 2, months=3)


@DATES.rule("(quarter_no) comma? (year)?")
def short_quarter(match: Match) -> Atom | None:
    """Q3 2019."""
    quarter, year = map(number_of, match.groups)
    assert quarter is not None
    return moment_atom(match, year, 3 * quarter - 2, months=3)


@DATES.rule("(year) quarter_no")
def year_short_quarter(match: Match) -> Atom | None:
    """2019 Q3."""
    return moment_atom(match, number_of(match.groups[0]), 3 * int(str(match.atoms[-1].value)) - 2, months=3)


@DATES.rule("(ord|latest) half (year)?")
def half_year(match: Match) -> Atom | None:
    """The first half of 2020; the second half of the year."""
    which, year = match.groups
    number = 2 if which[0].kind == "latest" else number_of(which)
    if number not in (1, 2) or (not year and match.after and match.after[0].kind not in {"dim_year"}):
        return None
    return moment_atom(match, number_of(year), 1 if number == 1 else 7, months=6)


@DATES.rule("(ord|latest|earliest|top) (num) dim_month (year)?")
def several_months(match: Match) -> Atom | None:
    """The first three months of 2020."""
    which, count, year = match.groups
    months = number_of(count) or 0
    if not year or not 1 <= months <= 12:
        return None
    start = 13 - months if which[0].kind == "latest" else 1
    return moment_atom(match, number_of(year), start, months=months)


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
    return moment_atom(match, number_of(match.groups[1]))


@DATES.rule("(month_name)")
def plain_month(match: Match) -> Atom | None:
    """In December, of every year."""
    return moment_atom(match, None, number_of(match.groups[0]))
