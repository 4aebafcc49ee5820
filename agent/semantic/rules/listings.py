"""Composition rules for the newest incidents and for groups that are only named."""

from agent.semantic.algebra import Count, Dimension
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Grouping, Threshold
from agent.semantic.rules.bodies import is_calendar, shown, where_of
from agent.semantic.rules.limits import having_of
from agent.semantic.rules.wishes import Recent

LISTINGS = RuleBook()


@LISTINGS.rule("(num)? (latest|earliest|ord) (num)? (pop|cond)+")
def newest(match: Match) -> list[Atom] | None:
    """The 10 most recent homicides; the first arson."""
    word = match.groups[1][0]
    if word.kind == "ord" and word.value != 1:
        return None
    number = [*match.groups[0], *match.groups[2]]
    limit = int(str(number[0].value)) if number else None
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    return [match.made("recent", Recent(word.kind == "latest", limit)), *conditions]


@LISTINGS.rule("(which) (num)? (all)? (distinct)? (name)? (dim) (name|code)?")
def asked_dimension(match: Match) -> list[Atom]:
    """Which 5 districts; what community areas by name."""
    target = match.groups[5][0]
    made = [Atom("limit", match.groups[1][0].value)] if match.groups[1] else []
    marker = [*match.groups[6], *match.groups[4]]
    return [*made, Atom("group", Grouping(shown(target.value, marker), "which"), target.words, target.at)]


@LISTINGS.rule("(num) (dim) (moving)")
def moving_size(match: Match) -> list[Atom]:
    """A 3-month moving average."""
    along = match.groups[1][0]
    assert isinstance(along.value, Dimension)
    return [
        match.made("moving", match.groups[0][0].value),
        Atom("group", Grouping(along.value, "period"), "", along.at),
    ]


@LISTINGS.rule("(cond|pop)+ (verb)* (thr)")
def count_threshold(match: Match) -> list[Atom] | None:
    """In which years homicides exceeded 20."""
    threshold = match.groups[2][0].value
    assert isinstance(threshold, Threshold)
    if threshold.percent:
        return None
    own = [atom for atom in match.groups[0] if not is_calendar(atom)]
    dates = [atom for atom in match.groups[0] if is_calendar(atom)]
    return [match.made("having", having_of(Count(where_of(own)), threshold)), *dates]


@LISTINGS.rule("(num) (dim) (name|code)?")
def some_groups(match: Match) -> list[Atom]:
    """Three districts: as many rows."""
    target = match.groups[1][0]
    limit = Atom("limit", match.groups[0][0].value)
    return [limit, Atom("group", Grouping(shown(target.value, match.groups[2]), "which"), target.words, target.at)]


@LISTINGS.rule("(distinct|all|name)* (dim) (name|code)?")
def bare_dimension(match: Match) -> Atom:
    """Districts and their counts."""
    target = match.groups[1][0]
    before = [atom for atom in match.atoms if atom.kind == "name" and atom.at < target.at]
    dimension = shown(target.value, [*match.groups[2], *before])
    return Atom("group", Grouping(dimension, "bare"), target.words, target.at)
