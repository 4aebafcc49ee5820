"""The intent of a question about groups and measures."""

from collections.abc import Sequence
from dataclasses import replace

from agent.semantic.algebra import (
    Count,
    CountDistinct,
    Dimension,
    Having,
    Measure,
    Order,
    Reference,
    Summary,
    Window,
)
from agent.semantic.assembly.changes import changes_along, changes_between
from agent.semantic.assembly.checks import check
from agent.semantic.assembly.grains import groups_of, timed
from agent.semantic.assembly.parts import NotUnderstoodError, Parts
from agent.semantic.assembly.sides import as_columns
from agent.semantic.assembly.windows import is_top_share, with_windows
from agent.semantic.predicates import (
    Predicate,
    Scalar,
    both,
    columns_of,
    values_of,
)

_SUBJECTS = frozenset({"CRIME_TYPE", "CRIME_CATEGORY"})


def summary_of(parts: Parts) -> Summary:
    """Return the intent of a question about groups and measures.

    Raises:
        NotUnderstoodError: a part of the question found no place.
    """
    where: Predicate = both(parts.where)
    groups = groups_of(parts, where)
    measures = [timed(measure, where, groups) for measure in parts.measures]
    if not groups and not measures and parts.having:
        shown = _defaults(parts, [], groups, ())
        return Summary(where, (), tuple(shown))
    if not groups and parts.having and len(measures) == 1 and isinstance(measures[0], CountDistinct):
        having = tuple(parts.having)
        return Summary(where, (measures[0].dimension,), (), having, count_groups=True)
    measures = _unrepeated(measures, where)
    measures, order = _ordered(parts, measures, groups)
    measures = changes_along(parts, measures, groups, where)
    where, measures = changes_between(parts, where, measures)
    if parts.changes and parts.changes[0].ranked is not None and measures:
        order = (Order(measures[-1], parts.changes[0].ranked),)
    if is_top_share(parts):
        coded = tuple(replace(group, named=False) for group in groups)
        return Summary(where, coded, tuple(measures), (), order, parts.limit or 1, top_share=True)
    measures = with_windows(parts, measures, groups)
    grouped = {group.dimension.column for group in parts.groups}
    where, measures = as_columns(parts, where, measures)
    columns = grouped - {group.dimension.column for group in parts.groups}
    groups = [group for group in groups if group.column not in columns]
    if (
        not order
        and groups
        and (sort := parts.first("sorted")) is not None
        and sort.value
        and groups[0].order != "time"
    ):
        order = (Order(measures[0] if measures else groups[0], False),)
    measures = _defaults(parts, measures, groups, order)
    check(parts, where, measures, groups)
    limit, nth = _limit(parts, order, groups)
    per = _per(parts, groups, limit or nth)
    return Summary(where, tuple(groups), tuple(measures), tuple(parts.having), order, limit, per, nth)


def _unrepeated(measures: Sequence[Measure], where: Predicate) -> list[Measure]:
    """Return the measures without conditions that contradict the question's own: loose repetitions of its subject."""
    fixed = {
        column: values for leaf in both([where]).parts if (values := values_of(leaf)) for column in columns_of(leaf)
    }
    kept: list[Measure] = []
    for measure in measures:
        if isinstance(measure, Count):
            leaves = [leaf for leaf in both([measure.where]).parts if not _contradicts(leaf, fixed)]
            measure = Count(both(leaves))
        kept.append(measure)
    return list(dict.fromkeys(kept))


def _contradicts(leaf: Predicate, fixed: dict[str, tuple[Scalar, ...]]) -> bool:
    values = values_of(leaf)
    columns = columns_of(leaf)
    columns &= _SUBJECTS
    return bool(values) and any(column in fixed and not set(values or ()) & set(fixed[column]) for column in columns)


def _ordered(
    parts: Parts, measures: list[Measure], groups: Sequence[Dimension]
) -> tuple[list[Measure], tuple[Order, ...]]:
    if not parts.rankings or (parts.changes and not measures):
        return measures, ()
    ranking = next((known for known in parts.rankings if known.measure is not None), parts.rankings[0])
    key = ranking.measure or (measures[0] if measures else Count())
    if key not in measures:
        measures = [*measures, key]
    if not groups and isinstance(key, CountDistinct):
        raise NotUnderstoodError("a ranking without anything to rank")
    return measures, (Order(key, parts.rankings[0].descending),)


def _defaults(
    parts: Parts, measures: list[Measure], groups: Sequence[Dimension], order: tuple[Order, ...]
) -> list[Measure]:
    """Return what is shown where the question names no measure: that of its thresholds, else the count."""
    if measures:
        return measures
    if parts.having and (shown := _of_thresholds(parts.having, groups)) is not None:
        return shown
    counted = parts.has("count_of") or any(group.role in {"each", "by", "period"} for group in parts.groups)
    if groups and not counted and not order:
        if not parts.where and groups[0].name == "hour" and not (parts.has("ask") or parts.has("distinct")):
            raise NotUnderstoodError("“time” alone, without what is asked about it")
        return []
    if not groups and not parts.has("pop") and not parts.where and not parts.has("count_of"):
        raise NotUnderstoodError("nothing to count, list or compare was found")
    return [Count()]


def _of_thresholds(conditions: Sequence[Having], groups: Sequence[Dimension]) -> list[Measure] | None:
    references = [having.value for having in conditions if isinstance(having.value, Reference)]
    if any(reference.kind == "universal" for reference in references):
        return []
    if groups and any(_is_share_of_all(having) for having in conditions):
        return [Window("total_share", Count())]
    if any(having.value == 0 for having in conditions):
        return [] if groups else None
    others = [reference.measure for reference in references if reference.measure is not None]
    return list(dict.fromkeys([*(having.measure for having in conditions), *others]))


def _is_share_of_all(having: Having) -> bool:
    """Whether a threshold is a percentage of all incidents."""
    value = having.value
    return isinstance(value, Reference) and value.kind == "overall" and value.factor < 1 and having.measure == Count()


def _limit(parts: Parts, order: tuple[Order, ...], groups: Sequence[Dimension]) -> tuple[int | None, int | None]:
    if parts.nth is not None and order:
        return None, parts.nth
    if parts.limit is not None:
        return parts.limit, None
    if not order or not groups or parts.has("rank"):
        return None, None
    target = next((group for group in reversed(parts.groups) if group.role in {"which", "bare"}), None)
    if target is None:
        return (1, None) if not any(group.role == "by" for group in parts.groups) else (None, None)
    return (None, None) if target.dimension.name in parts.plural and not parts.has("single") else (1, None)


def _per(parts: Parts, groups: Sequence[Dimension], limit: int | None) -> tuple[Dimension, ...]:
    if limit is None:
        return ()
    each = {group.dimension.column for group in parts.groups if group.role in {"each", "by", "period"}}
    outer = tuple(group for group in groups if group.column in each)
    return outer if len(outer) < len(groups) else ()
