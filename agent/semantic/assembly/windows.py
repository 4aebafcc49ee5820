"""Measures seen along the other rows: running totals, ranks, shares of the total."""

from collections.abc import Sequence

from agent.semantic.algebra import Binary, Count, Dimension, Measure, Share, Window
from agent.semantic.assembly.parts import Parts


def with_windows(parts: Parts, measures: list[Measure], groups: Sequence[Dimension]) -> list[Measure]:
    """Return the measures with the running totals, ranks and shares the question asks for."""
    base = measures[0] if measures else Count()
    within = _outer(parts, groups)
    shown = measures or [base]
    time = tuple(group for group in groups if group.order != "time")
    if parts.has("running_share"):
        return [*shown, Window("running_share", base, time)]
    if parts.has("running"):
        return [*shown, Window("running", base, time)]
    if (moving := parts.first("moving")) is not None:
        return [*shown, Window("moving", base, time, size=int(str(moving.value or 3)))]
    if parts.has("rank") and groups:
        key = parts.rankings[0].measure if parts.rankings and parts.rankings[0].measure else base
        ascending = bool(parts.rankings) and not parts.rankings[0].descending
        return [*shown, Window("rank", key, within, ascending=ascending)]
    if any(isinstance(m, Binary) and isinstance(m.left, Window) for m in measures):
        return measures
    if parts.has("share_total") and groups and not any(isinstance(m, Share) for m in measures):
        return [*measures, Window("total_share", base, within)]
    if parts.has("share") and groups and not any(isinstance(m, Share) for m in measures):
        counted, asked = parts.first("meas"), parts.first("share")
        early = counted is not None and asked is not None and counted.at < asked.at
        kept = measures if early or parts.rankings else [m for m in measures if not isinstance(m, Count)]
        return [*kept, Window("total_share", base, within)]
    return measures


def _outer(parts: Parts, groups: Sequence[Dimension]) -> tuple[Dimension, ...]:
    each = {group.dimension.column for group in parts.groups if group.role == "each"}
    outer = tuple(group for group in groups if group.column in each)
    return outer if len(outer) < len(groups) else tuple(groups[:-1])


def is_top_share(parts: Parts) -> bool:
    """Whether the question asks what the first few groups make up together."""
    share, ranking = parts.first("share") or parts.first("share_total"), parts.first("ranking")
    return bool(share and ranking and share.at < ranking.at and not any(g.role == "each" for g in parts.groups))
