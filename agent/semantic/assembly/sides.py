"""Values that a question sets side by side: as groups, or as columns."""

from agent.semantic.algebra import Count, Measure
from agent.semantic.assembly.parts import Parts
from agent.semantic.meanings import Condition, Grouping, Ranking
from agent.semantic.model import load_model
from agent.semantic.predicates import AnyOf, Compare, OneOf, Predicate, both, columns_of, values_of
from agent.semantic.rules.bodies import narrowed


def add_compared(parts: Parts) -> None:
    """Group by the column whose values are compared, when the question only sets values side by side."""
    contest = (parts.has("more") or parts.has("fewer")) and bool(parts.coordinated)
    if parts.changes or parts.having or not (parts.has("compare") or contest):
        return
    by_column: dict[str, list[Condition]] = {}
    for condition in parts.conditions:
        if len(condition.columns) == 1:
            by_column.setdefault(next(iter(condition.columns)), []).append(condition)
    for column, conditions in by_column.items():
        if len(conditions) > 1 or conditions[0].coordinated:
            values = [value for condition in conditions for value in values_of(condition.predicate) or ()]
            parts.where = [part for part in parts.where if columns_of(part) != {column}]
            if not (len(values) == 2 and isinstance(values[0], bool)):
                parts.where.append(OneOf(column, tuple(values)))
            dimension = next(d for d in load_model().dimensions.values() if d.column == column and not d.expression)
            parts.groups.insert(0, Grouping(dimension, "which" if contest else "each"))
            if contest:
                parts.rankings.append(Ranking(parts.has("more")))
            return


def as_columns(parts: Parts, where: Predicate, measures: list[Measure]) -> tuple[Predicate, list[Measure]]:
    """Set the sides of a comparison beside each other as columns, when the question says so."""
    if not parts.has("side_by_side") or not parts.coordinated:
        return where, measures
    condition = parts.coordinated[0]
    values = values_of(condition.predicate)
    sides: tuple[Predicate, ...] = ()
    if values:
        (column,) = condition.columns
        sides = tuple(Compare(column, "=", value) for value in values)
    elif isinstance(condition.predicate, AnyOf):
        sides = condition.predicate.parts
    rest = both(leaf for leaf in both([where]).parts if leaf != condition.predicate)
    base = measures[0] if measures else Count()
    parts.groups = [group for group in parts.groups if group.dimension.column not in condition.columns]
    return rest, [narrowed(base, side) for side in sides]
