"""Composition rules for statistics of a column and numbers of different values."""

from agent.semantic.algebra import Aggregate, CountDistinct, Dimension
from agent.semantic.grammar import Atom, Match, RuleBook

STATISTICS = RuleBook()


@STATISTICS.rule("distinct? count_of (all)? distinct (dim)")
def distinct_count(match: Match) -> Atom:
    """The number of different crime types."""
    dimension = match.groups[1][0].value
    assert isinstance(dimension, Dimension)
    return match.made("meas", CountDistinct(dimension))


@STATISTICS.rule("(aggregate) (count_of|all)* (cond)* (col|num_col)")
def statistic(match: Match) -> list[Atom] | None:
    """The average number of days to update; the median latitude."""
    function, column = match.groups[0][0].value, match.groups[3][0].value
    made = match.made("meas", Aggregate(function, str(column)))  # type: ignore[arg-type]  # checked by the model
    return [made, *match.groups[2]]


@STATISTICS.rule("(most|least|earliest|latest) (col)")
def extreme_value(match: Match) -> Atom | None:
    """The highest latitude; the latest incident date."""
    function = "max" if match.groups[0][0].kind in {"most", "latest"} else "min"
    if match.before and match.before[-1].kind in {"dim", "group"}:
        return None
    return match.made("meas", Aggregate(function, str(match.groups[1][0].value)))  # type: ignore[arg-type]


@STATISTICS.rule("(earliest|latest) (dim)")
def extreme_date(match: Match) -> Atom | None:
    """The earliest incident date."""
    dimension = match.groups[1][0].value
    assert isinstance(dimension, Dimension)
    if any(atom.kind in {"count_of", "meas", "share", "named_share"} for atom in (*match.before, *match.after)):
        return None
    if dimension.order != "time" or dimension.name in {"hour", "day_of_month"}:
        return None
    function = "max" if match.groups[0][0].kind == "latest" else "min"
    return match.made("meas", Aggregate(function, dimension.column))  # type: ignore[arg-type]  # max or min
