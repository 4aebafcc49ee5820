"""Refusals: what would silently leave out a part of the question."""

from collections.abc import Sequence

from agent.semantic.algebra import Binary, Count, Dimension, Measure, Share, Window
from agent.semantic.assembly.parts import NotUnderstoodError, Parts
from agent.semantic.predicates import (
    EVERYTHING,
    Predicate,
    Scalar,
    both,
    columns_of,
    values_of,
)


def check(parts: Parts, where: Predicate, measures: Sequence[Measure], groups: Sequence[Dimension]) -> None:
    """Refuse what would silently leave out a part of the question.

    Raises:
        NotUnderstoodError: conditions exclude each other, or a comparison, share or ranking found no place.
    """
    seen: dict[str, set[Scalar]] = {}
    for leaf in both([where]).parts:
        if (values := values_of(leaf)) and len(columns_of(leaf)) == 1:
            (column,) = columns_of(leaf)
            seen[column] = seen[column] & set(values) if column in seen else set(values)
            if not seen[column]:
                raise NotUnderstoodError(f"two conditions on {column} that exclude each other")
    ranked = [group.dimension.column for group in parts.groups if group.role in {"which", "bare"}]
    if parts.rankings and any(len(seen.get(column, ())) == 1 for column in ranked):
        raise NotUnderstoodError("a ranking in which one of the ranked is named")
    _check_comparisons(parts, measures, groups)
    _check_windows(parts, measures, groups)


def _check_windows(parts: Parts, measures: Sequence[Measure], groups: Sequence[Dimension]) -> None:
    windows = {part.kind for measure in measures for part in windows_in(measure)}
    shares = any(isinstance(measure, Share) for measure in measures)
    if (parts.has("share") or parts.has("share_total")) and "total_share" not in windows and not shares:
        raise NotUnderstoodError("a share, without what it is a share of")
    along = any(parts.has(kind) for kind in ("sequential", "running", "moving", "running_share"))
    if along and not (windows and any(group.order == "time" for group in groups)):
        raise NotUnderstoodError("a development, without the time it runs along")
    if parts.has("by_how_much") and not any(isinstance(measure, Binary | Window) for measure in measures):
        raise NotUnderstoodError("a difference, without its two sides")


def _check_comparisons(parts: Parts, measures: Sequence[Measure], groups: Sequence[Dimension]) -> None:
    contest = parts.has("more") or parts.has("fewer")
    if contest and not parts.rankings and not parts.changes:
        raise NotUnderstoodError("a comparison, without what is compared")
    if parts.has("compare") and not groups and len(measures) < 2 and not parts.changes:
        raise NotUnderstoodError("a comparison, without its two sides")
    if parts.rankings and not groups:
        raise NotUnderstoodError("a ranking, without what is ranked")
    if parts.has("rank") and not groups:
        raise NotUnderstoodError("a rank, without what is ranked")
    if any(isinstance(measure, Share) and not both([measure.part]).parts for measure in measures):
        raise NotUnderstoodError("a share, without what it is a share of")
    counts = [measure for measure in measures if isinstance(measure, Count) and measure.where != EVERYTHING]
    if parts.rankings and len(counts) > 1 and Count() not in measures:
        raise NotUnderstoodError("a ranking by something else than what is counted")
    if len({ranking for ranking in parts.rankings if ranking.measure is not None}) > 1:
        raise NotUnderstoodError("two rankings in one question")
    dates = any(group.role == "bare" and group.dimension.name == "date" for group in parts.groups)
    if dates and not (parts.rankings or parts.having):
        raise NotUnderstoodError("“day”, which may be a date or a part of the day")


def windows_in(measure: Measure) -> list[Window]:
    """Return the windows a measure is made of."""
    if isinstance(measure, Binary):
        return [*windows_in(measure.left), *windows_in(measure.right)]
    return [measure] if isinstance(measure, Window) else []
