"""The groups of an intent, with the year added where months of several years must be told apart."""

from collections.abc import Sequence
from dataclasses import replace

from agent.semantic.algebra import Dimension, Measure, Nest
from agent.semantic.assembly.parts import Parts
from agent.semantic.meanings import Grouping
from agent.semantic.model import load_model
from agent.semantic.predicates import All, Predicate, columns_of, values_of

GRAINS = {"month": "year_month", "quarter": "year_quarter"}


def groups_of(parts: Parts, where: Predicate) -> list[Dimension]:
    """Return the output dimensions, outermost first."""
    outer = [group for group in parts.groups if group.role in {"each", "period"}]
    rest = [group for group in parts.groups if group.role not in {"each", "period"}]
    dimensions = list(dict.fromkeys(group.dimension for group in [*outer, *rest]))
    if not dimensions and parts.has("development"):
        dimensions = [load_model().dimensions["month" if _one_year(where) else "year"]]
        parts.groups.append(Grouping(dimensions[0], "period"))
    if parts.has("name"):
        dimensions = [replace(one, named=True) if one.lookup is not None else one for one in dimensions]
    return [grain for dimension in dimensions for grain in grain_of(dimension, where, dimensions, parts)]


def grain_of(dimension: Dimension, where: Predicate, all_: Sequence[Dimension], parts: Parts) -> list[Dimension]:
    """Return a month or quarter with its year where the months of several years must be told apart."""
    model = load_model()
    if dimension.name == "year_month":
        return [model.dimensions["year"], model.dimensions["month"]]
    if dimension.name not in GRAINS or any(other.name == "year" for other in all_):
        return [dimension]
    along = any(parts.has(kind) for kind in ("running", "moving", "sequential", "running_share"))
    if _one_year(where) or not (along or _several_years(where)):
        return [dimension]
    return [model.dimensions["year"], dimension]


def _one_year(where: Predicate) -> bool:
    leaves = where.parts if isinstance(where, All) else (where,)
    return any(columns_of(leaf) == {"YEAR"} and len(values_of(leaf) or ()) == 1 for leaf in leaves)


def _several_years(where: Predicate) -> bool:
    return bool(columns_of(where) & {"YEAR", "INCIDENT_DATE"}) and not _one_year(where)


def timed(measure: Measure, where: Predicate, groups: Sequence[Dimension]) -> Measure:
    """Return a nested measure with the year added to its grain where one year is not fixed."""
    if not isinstance(measure, Nest) or _one_year(where):
        return measure
    year = load_model().dimensions["year"]
    if any(dimension.name in GRAINS for dimension in measure.over) and year not in groups:
        return replace(measure, over=(year, *measure.over))
    return measure
