"""Composition rules for spans between dates, and for the dates no other rule took."""

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition
from agent.semantic.predicates import Extreme
from agent.semantic.rules.moments import Moment, bound, number_of, range_atom

SPANS = RuleBook()


@SPANS.rule("(between|from|since)? (moment) (to|and) (moment)")
def from_to(match: Match) -> Atom | None:
    """From 2015 to 2018; between March and May 2020; 2015 through 2018."""
    lead, first, link, last = match.groups
    if link[0].kind == "and" and (not lead or lead[0].kind != "between"):
        return None
    if match.after and match.after[0].kind == "clash":
        return None
    return range_atom(match, first[0].value, last[0].value)


@SPANS.rule("(from|since) (moment) (onward)?")
def since_moment(match: Match) -> Atom:
    """Since 2015; from March 2020 onward."""
    return match.made("cond", Condition(bound(match.groups[1][0].value, ">=")))


@SPANS.rule("(moment) (onward)")
def moment_onward(match: Match) -> Atom:
    """2015 onwards; 2015 or later."""
    return match.made("cond", Condition(bound(match.groups[0][0].value, ">=")))


@SPANS.rule("(after) (moment)")
def after_moment(match: Match) -> Atom:
    """After 2015: the year itself is out."""
    return match.made("cond", Condition(bound(match.groups[1][0].value, ">")))


@SPANS.rule("(before) (moment)")
def before_moment(match: Match) -> Atom:
    """Before 2015: the year itself is out."""
    return match.made("cond", Condition(bound(match.groups[1][0].value, "<")))


@SPANS.rule("(until|to) (moment)")
def until_moment(match: Match) -> Atom:
    """Until 2015: the year itself is in."""
    return match.made("cond", Condition(bound(match.groups[1][0].value, "<=")))


@SPANS.rule("(earliest|latest) (num)? (dim_year)")
def newest_years(match: Match) -> Atom | None:
    """The most recent year in the data; the last three years of the data."""
    which, number, _ = match.groups
    if (match.before and match.before[-1].kind in {"which", "and"}) or (match.after and match.after[0].kind == "ord"):
        return None
    kind = "max" if which[0].kind == "latest" else "min"
    back = (number_of(number) or 1) - 1
    return match.made("cond", Condition(Extreme("YEAR", kind, back)))  # type: ignore[arg-type]  # max or min


@SPANS.rule("(moment)")
def plain_moment(match: Match) -> Atom:
    """A moment that no other date rule took."""
    moment = match.atoms[0].value
    assert isinstance(moment, Moment)
    return match.made("cond", Condition(moment.condition()))
