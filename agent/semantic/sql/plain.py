"""Which plain measures an intent needs, their names, and the conditions they share."""

from collections.abc import Sequence

from agent.semantic.algebra import Binary, Having, Measure, Nest, Overall, Share, Window
from agent.semantic.predicates import (
    EVERYTHING,
    All,
    Predicate,
    both,
)
from agent.semantic.sql.aggregates import name_of
from agent.semantic.sql.windows import is_windowed


def plain_parts(measure: Measure) -> list[Measure]:
    """Return the plain measures a measure is computed from."""
    if isinstance(measure, Binary) and is_windowed(measure):
        return [*plain_parts(measure.left), *plain_parts(measure.right)]
    return plain_parts(measure.inner) if isinstance(measure, Nest | Window | Overall) else [measure]


def names_of(measures: Sequence[Measure]) -> dict[Measure, str]:
    """Return a distinct output name for each measure."""
    names: dict[Measure, str] = {}
    for measure in measures:
        base = name_of(measure)
        taken = sum(1 for name in names.values() if name == base or name.startswith(f"{base}_"))
        names[measure] = base if not taken else f"{base}_{taken + 1}"
    return names


def common_of(measures: Sequence[Measure], having: Sequence[Having]) -> Predicate:
    """Return the conditions every measure shares: they move to the WHERE clause."""
    if any(known.value == 0 and known.operator == "=" for known in having):
        return EVERYTHING
    wheres = [where for measure in measures for where in _wheres(measure)]
    if not wheres:
        return EVERYTHING
    first, *others = [both([where]).parts for where in wheres]
    return All(tuple(part for part in first if all(part in other for other in others)))


def _wheres(measure: Measure) -> list[Predicate]:
    if isinstance(measure, Binary):
        return [*_wheres(measure.left), *_wheres(measure.right)]
    if isinstance(measure, Overall):
        return _wheres(measure.inner)
    if isinstance(measure, Share):
        return [measure.whole]
    return [getattr(measure, "where", EVERYTHING)]
