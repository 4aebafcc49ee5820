"""Composition rules for averages over groups, extremes over groups, and counts."""

from collections.abc import Sequence

from agent.semantic.algebra import Aggregate, Binary, Count, CountDistinct, Dimension, Measure, Nest
from agent.semantic.grammar import Atom, Match, RuleBook
from agent.semantic.meanings import Grouping
from agent.semantic.predicates import (
    EVERYTHING,
)
from agent.semantic.rules.bodies import grouping, is_calendar, is_coordinated, measure_of, where_of

COUNTS = RuleBook()


@COUNTS.rule("(aggregate) (period) (count_of|all)* (pop|cond|meas)+")
def average_period(match: Match) -> list[Atom]:
    """The average monthly number of thefts."""
    return _nested(match, [match.groups[1][0].value])


@COUNTS.rule("(period) (aggregate) (count_of|all)* (pop|cond|meas)+")
def period_average(match: Match) -> list[Atom]:
    """The monthly average of thefts."""
    flipped = [match.groups[1], match.groups[0], *match.groups[2:]]
    return _nested(Match(match.atoms, tuple(flipped), match.before, match.after), [match.groups[0][0].value])


@COUNTS.rule("(aggregate) comma? (count_of|all)* (pop|cond)* (verb)? (cond)* (group|period) (group)?")
def average_per_group(match: Match) -> list[Atom] | None:
    """The average number of crimes per day (in each district)."""
    first, second = match.groups[5][0].value, match.groups[6]
    dimension = first.dimension if isinstance(first, Grouping) else first
    return [*_nested(match, [dimension]), *second]


def _nested(match: Match, dimensions: Sequence[object]) -> list[Atom]:
    function = match.groups[0][0].value
    over = tuple(dimension for dimension in dimensions if isinstance(dimension, Dimension))
    inner: Measure = Count(EVERYTHING)
    for atom in match.atoms:
        if atom.kind == "meas":
            inner = atom.value  # type: ignore[assignment]  # a measure atom holds a measure
    made = Match(match.atoms[:1], (), (), ()).made("meas", Nest(function, inner, over))  # type: ignore[arg-type]
    return [made, *[atom for atom in match.atoms if atom.kind == "cond"]]


@COUNTS.rule("(which|when) (dim)? (pop|count_of)* (begin|end)")
def first_or_last(match: Match) -> Atom:
    """In which year the records begin."""
    dimension = match.groups[1][0].value if match.groups[1] else None
    column = dimension.column if isinstance(dimension, Dimension) else "INCIDENT_DATE"
    return match.made("meas", Aggregate("min" if match.groups[3][0].kind == "begin" else "max", column))


@COUNTS.rule("(most|least) (count_of)? (period) (count_of)? (pop|cond)*")
def extreme_period(match: Match) -> list[Atom]:
    """The highest monthly number of thefts."""
    return _extreme_group(match, match.groups[2][0].value)


@COUNTS.rule("(most|least) (count_of)? (pop|cond)+ (verb)* (each|by)? (single) (dim)")
def extreme_single(match: Match) -> list[Atom]:
    """The highest number of crimes on a single day."""
    return _extreme_group(match, match.groups[6][0].value)


def _extreme_group(match: Match, dimension: object) -> list[Atom]:
    assert isinstance(dimension, Dimension)
    conditions = [atom for atom in match.atoms if atom.kind == "cond"]
    function = "max" if match.atoms[0].kind == "most" else "min"
    made = Match(match.atoms[:1], (), (), ()).made("meas", Nest(function, Count(), (dimension,)))  # type: ignore[arg-type]
    return [made, *conditions]


@COUNTS.rule("period")
def periodic(match: Match) -> Atom:
    """Monthly thefts: one row a month."""
    return grouping(match.atoms[0].value, "period", match.atoms[0])


@COUNTS.rule("(all)? count_of (all)? (dim)")
def number_of_groups(match: Match) -> Atom:
    """How many districts."""
    dimension = match.groups[2][0].value
    assert isinstance(dimension, Dimension)
    return match.made("meas", CountDistinct(dimension))


@COUNTS.rule("(count_of) (pop|cond)+ (verb|rel)+ (cond)+ (comma|and)+ (count_of) (pop|cond)+ ((verb|rel)+ cond+)?")
def two_counts(match: Match) -> list[Atom] | None:
    """How many happened on weekends and how many on weekdays."""
    at = [index for index, atom in enumerate(match.atoms) if atom.kind == "count_of"][1]
    sides = (match.atoms[:at], match.atoms[at:])
    if not any(atom.kind == "cond" for atom in sides[1]):
        return None
    shared = [a for a in match.groups[1] if a.kind == "cond" and not is_calendar(a)]
    second = [*shared, *sides[1]] if any(a.kind == "pop" for a in match.groups[1]) or shared else sides[1]
    return [Atom("meas", Count(where_of(side)), "", side[0].at) for side in (sides[0], second)]


@COUNTS.rule("(all)? count_of (all)? (pop|cond)+")
def counted(match: Match) -> list[Atom]:
    """The number of domestic incidents: dates stay conditions of the whole question."""
    body = [atom for atom in match.atoms if atom.kind == "cond"]
    beside = (*match.before, *match.after)
    alone = not any(atom.kind in {"count_of", "meas", "thr", "more", "most", "least", "compare_op"} for atom in beside)
    shared = [atom for atom in body if is_calendar(atom) or (alone and is_coordinated(atom))]
    made = match.made("meas", Count(where_of([atom for atom in body if atom not in shared])))
    return [made, *shared]


@COUNTS.rule("(ratio) (meas|cond|pop) (to|and|compare) (meas|cond|pop)")
def ratio(match: Match) -> Atom:
    """The ratio of thefts to robberies."""
    return match.made("meas", Binary("/", measure_of(match.groups[1][0]), measure_of(match.groups[3][0])))
