"""Questions for incidents themselves."""

from dataclasses import replace

from agent.semantic.algebra import Aggregate, Dimension, Rows, Summary
from agent.semantic.assembly.parts import NotUnderstoodError, Parts
from agent.semantic.model import load_model
from agent.semantic.predicates import both


def rows_of(parts: Parts) -> Rows | Summary | None:
    """Return the listing of incidents a question asks for, if it does.

    Raises:
        NotUnderstoodError: the newest or oldest incident of each group is asked for with more than its date.
    """
    rows = load_model().row_columns
    dimensions = [group.dimension for group in parts.groups if group.role in {"bare", "which"}]
    moment_only = {dimension.name for dimension in dimensions} <= {"date", "timestamp"}
    if parts.measures or parts.rankings or parts.having or parts.changes:
        return None
    where = both(parts.where)
    if parts.recent is not None and parts.recent.limit is None and moment_only and (dimensions or parts.has("when")):
        function = "max" if parts.recent.newest else "min"
        moment = Aggregate(function, "INCIDENT_DATE")  # type: ignore[arg-type]  # max or min
        return Summary(where=where, groups=_outer(parts), measures=(moment,))
    if parts.recent is not None and _outer(parts):
        raise NotUnderstoodError("the newest or oldest incidents of each group; only their dates can be told")
    listed = parts.recent is not None or any(dimension.name in rows for dimension in dimensions)
    if not listed or _outer(parts):
        return None
    if not dimensions:
        dimensions = [load_model().dimensions[name] for name in ("case_number", "timestamp", "crime_type", "block")]
    order: tuple[tuple[str, bool], ...] = ()
    if parts.recent is not None:
        order = (("INCIDENT_DATE", parts.recent.newest),)
    limit = parts.limit or (parts.recent.limit or 1 if parts.recent else None)
    columns = tuple(replace(dimension, expression=None, named=dimension.named) for dimension in dimensions)
    return Rows(columns, where, order, limit)


def _outer(parts: Parts) -> tuple[Dimension, ...]:
    return tuple(group.dimension for group in parts.groups if group.role in {"each", "by"})
