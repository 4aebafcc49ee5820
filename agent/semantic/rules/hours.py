"""Composition rules for clock times."""

from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Condition
from agent.semantic.predicates import AnyOf, Compare, Operator, both
from agent.semantic.rules.moments import number_of

HOURS = RuleBook()


@HOURS.rule("(num) ampm")
def clock_time(match: Match) -> Atom | None:
    """8 pm."""
    hour = number_of(match.groups[0]) or 0
    if not 1 <= hour <= 12:
        return None
    return match.made("clock", hour % 12 + (12 if match.atoms[-1].value == "pm" else 0))


@HOURS.rule("(clock) ampm")
def clock_minutes(match: Match) -> Atom:
    """8:30 pm, read as the hour it lies in."""
    hour = int(str(match.atoms[0].value))
    return match.made("clock", hour % 12 + (12 if match.atoms[-1].value == "pm" else 0))


@HOURS.rule("(compare_op|to)? comma? short_of comma? (clock)")
def short_of_hour(match: Match) -> list[Atom] | None:
    """Up to, but not including, 6 am: the last hour of a range is out anyway."""
    if match.groups[0] and match.groups[0][0].words.lower() not in {"up to", "to", "until", "till"}:
        return None
    return [Atom("to", None, "up to", match.atoms[0].at), match.groups[1][0]]


@HOURS.rule("(between|from)? (clock|num) comma* (to|and) comma* to* comma* (clock) dim_hour?")
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


@HOURS.rule("(after|before|since|until|from) (clock)")
def clock_bound(match: Match) -> Atom:
    """After 8 pm; before noon."""
    word, hour = match.atoms[0].kind, int(str(match.atoms[1].value))
    operator: Operator = ">=" if word in {"after", "since", "from"} else "<"
    return match.made("cond", Condition(Compare("HOUR", operator, hour)))


@HOURS.rule("(clock) dim_hour?")
def clock_hour(match: Match) -> Atom:
    """At 3 am: the hour that begins then."""
    return match.made("cond", Condition(Compare("HOUR", "=", int(str(match.atoms[0].value)))))
