"""What composition rules share: the conditions and measures among atoms."""

from collections.abc import Sequence
from dataclasses import replace

from agent.semantic.algebra import Binary, Count, Dimension, Measure, Nest, Overall, Share, Window
from agent.semantic.grammar import Atom, Match
from agent.semantic.meanings import Condition, Grouping
from agent.semantic.predicates import (
    Predicate,
    both,
    columns_of,
)


def conditions_in(atoms: Sequence[Atom]) -> list[Condition]:
    """Return the conditions among atoms."""
    return [atom.value for atom in atoms if isinstance(atom.value, Condition)]


def where_of(atoms: Sequence[Atom]) -> Predicate:
    """Return the conjunction of the conditions among atoms."""
    return both(condition.predicate for condition in conditions_in(atoms))


def is_calendar(atom: Atom) -> bool:
    """Whether an atom is a condition on dates only."""
    return isinstance(atom.value, Condition) and atom.value.is_calendar


def is_coordinated(atom: Atom) -> bool:
    """Whether an atom is a condition joined from several values."""
    return isinstance(atom.value, Condition) and atom.value.coordinated


def measure_of(atom: Atom) -> Measure:
    """Return the measure an atom stands for: its own, or the count of its incidents."""
    if atom.kind == "meas":
        return atom.value  # type: ignore[return-value]  # a measure atom holds a measure
    return Count(where_of([atom]))


def measure_in(atoms: list[Atom]) -> Measure | None:
    """Return the measure among atoms, else the count of their incidents; None when there are no atoms."""
    for atom in atoms:
        if atom.kind == "meas":
            measure: Measure = atom.value  # type: ignore[assignment]  # a measure atom holds a measure
            return narrowed(measure, where_of(atoms)) if conditions_in(atoms) else measure
    return Count(where_of(atoms)) if atoms else None


def narrowed(measure: Measure, where: Predicate) -> Measure:
    """Return a measure over only those incidents that meet a condition."""
    if isinstance(measure, Share):
        return replace(measure, whole=both([measure.whole, where]))
    if isinstance(measure, Binary):
        return replace(measure, left=narrowed(measure.left, where), right=narrowed(measure.right, where))
    if isinstance(measure, Nest):
        return replace(measure, inner=narrowed(measure.inner, where))
    if isinstance(measure, Window):
        return replace(measure, inner=narrowed(measure.inner, where))
    if isinstance(measure, Overall):
        return replace(measure, inner=narrowed(measure.inner, where))
    return replace(measure, where=both([measure.where, where]))


def completed(first: Predicate, second: Predicate) -> Predicate:
    """Return the second condition completed by what it leaves unsaid of the first."""
    said = columns_of(second)
    return both([*[part for part in both([first]).parts if not columns_of(part) & said], second])


def none_of(match: Match) -> list[Atom]:
    """Return the wish for groups without these incidents, and the dates it stands under."""
    own = [atom for atom in match.atoms if atom.kind == "cond" and not is_calendar(atom)]
    dates = [atom for atom in match.atoms if atom.kind == "cond" and is_calendar(atom)]
    if not own:
        own, dates = dates, []
    return [match.made("none_of", where_of(own)), *dates]


def shown(dimension: object, marker: list[Atom]) -> Dimension:
    """Return a dimension shown by name or by code, as the question says."""
    assert isinstance(dimension, Dimension)
    if dimension.lookup is None or not marker:
        return dimension
    return replace(dimension, named=marker[0].kind == "name")


def grouping(dimension: object, role: str, atom: Atom) -> Atom:
    """Return the atom of a grouping."""
    assert isinstance(dimension, Dimension)
    return Atom("group", Grouping(dimension, role), atom.words, atom.at)  # type: ignore[arg-type]  # role is literal
