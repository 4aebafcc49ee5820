"""Changes: along a grain of time, or between two sides."""

from collections.abc import Sequence

from agent.semantic.algebra import Binary, Count, Dimension, Having, Measure, Share, Window
from agent.semantic.assembly.grains import grain_of
from agent.semantic.assembly.parts import NotUnderstoodError, Parts
from agent.semantic.model import load_model
from agent.semantic.predicates import AnyOf, Compare, Predicate, both, columns_of, one_of, values_of
from agent.semantic.rules.bodies import narrowed
from agent.semantic.rules.wishes import Change


def changes_along(
    parts: Parts, measures: list[Measure], groups: Sequence[Dimension], where: Predicate
) -> list[Measure]:
    """Add the change along a grain ("year over year") to the measures."""
    sequential = parts.has("sequential")
    wanted = parts.changes[0] if parts.changes else None
    if not sequential and not (wanted and any(group.order == "time" for group in groups)):
        return measures
    base = (wanted.measure if wanted else None) or (measures[0] if measures else Count())
    percent = (wanted and wanted.percent) or parts.has("by_what_percent") or parts.has("in_percent")
    kind = "change_percent" if percent else ("change" if wanted or parts.has("by_how_much") else "previous")
    if isinstance(base, Share) and kind == "change_percent" and wanted is None:
        kind = "change"
    if not groups:
        grain = parts.first("sequential")
        name = str(grain.value) if grain else "year"
        found = load_model().dimensions.get(name)
        if found is None:
            raise NotUnderstoodError("a change without the time it runs along")
        groups.extend(grain_of(found, where, [], parts))  # type: ignore[attr-defined]  # the caller's own list
    kept = measures if measures else [base]
    if wanted is not None and wanted.ranked is not None:
        kept = []
    down = wanted is not None and wanted.direction == "down" and wanted.ranked is not None
    return [*kept, Window(kind, base, ascending=down)]  # type: ignore[arg-type]  # one of the literals above


def changes_between(parts: Parts, where: Predicate, measures: list[Measure]) -> tuple[Predicate, list[Measure]]:
    """Set two spans of the question against each other: the change from the earlier to the later."""
    asked = parts.has("by_how_much") or parts.has("by_what_percent")
    if (not parts.changes and not asked) or any(isinstance(measure, Window) for measure in measures):
        return where, measures
    pair = _two_sides(parts, where)
    if pair is None:
        raise NotUnderstoodError("a change, without the two spans or groups it lies between")
    first, second, rest = pair
    wanted = parts.changes[0] if parts.changes else Change(False, "both", None)
    base = wanted.measure or (measures[0] if measures else Count())
    low, high = narrowed(base, first), narrowed(base, second)
    if (parts.has("share") or parts.has("share_total")) and isinstance(base, Count) and parts.groups:
        low, high = Window("total_share", low), Window("total_share", high)
    down = wanted.direction == "down"
    if wanted.percent or parts.has("by_what_percent") or parts.has("in_percent"):
        change = Binary("%-" if down else "%", high, low)
    else:
        change = Binary("-", low, high) if down else Binary("-", high, low)
    if wanted.threshold is not None:
        bound = wanted.threshold
        parts.having.append(Having(change, bound.operator, bound.value, bound.upper))
    elif (
        wanted.direction != "both" and any(g.role in {"which", "bare"} for g in parts.groups) and wanted.ranked is None
    ):
        parts.having.append(Having(change, ">", 0))
    if parts.groups:
        rest = both([rest, either(first, second)])
    return rest, [low, high] if parts.has("echo") and wanted.threshold else [change]


def either(first: Predicate, second: Predicate) -> Predicate:
    """Return the condition that one of two sides holds: groups with neither are no groups of the comparison."""
    values = [*(values_of(first) or ()), *(values_of(second) or ())]
    columns = columns_of(first) | columns_of(second)
    return one_of(next(iter(columns)), values) if len(columns) == 1 and values else AnyOf((first, second))


def _two_sides(parts: Parts, where: Predicate) -> tuple[Predicate, Predicate, Predicate] | None:
    """Return the earlier side, the later side and the other conditions."""
    leaves = list(both([where]).parts)
    low = next((x for x in leaves if isinstance(x, Compare) and x.column == "YEAR" and x.operator == ">="), None)
    high = next((x for x in leaves if isinstance(x, Compare) and x.column == "YEAR" and x.operator == "<="), None)
    if low and high:
        rest = both(leaf for leaf in leaves if leaf not in (low, high))
        return Compare("YEAR", "=", low.value), Compare("YEAR", "=", high.value), rest
    for condition in parts.conditions:
        values = values_of(condition.predicate)
        if values and len(values) == 2 and len(condition.columns) == 1 and condition.coordinated:
            (column,) = condition.columns
            rest = both(leaf for leaf in leaves if leaf != condition.predicate)
            ordered = sorted(values, key=str) if column == "YEAR" else [values[1], values[0]]
            return Compare(column, "=", ordered[0]), Compare(column, "=", ordered[1]), rest
    years = [leaf for leaf in leaves if isinstance(leaf, Compare) and leaf.column == "YEAR" and leaf.operator == "="]
    if len(years) == 2:
        first, second = sorted(years, key=lambda leaf: str(leaf.value))
        return first, second, both(leaf for leaf in leaves if leaf not in years)
    return None
