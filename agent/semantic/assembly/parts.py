"""What the atoms of a question add up to, before its intent is decided."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent.semantic.algebra import Count, CountDistinct, Dimension, Having, Measure, Reference
from agent.semantic.grammar import Atom
from agent.semantic.meanings import Condition, Grouping, Ranking
from agent.semantic.model import load_model
from agent.semantic.predicates import Predicate, both, negate
from agent.semantic.rules.wishes import Change, Contrast, Recent


class NotUnderstoodError(Exception):
    """A question, or a part of it, that has no reading; the message says which part."""


@dataclass
class Parts:
    """What the atoms of a question add up to, before the intent is decided."""

    atoms: Sequence[Atom]
    where: list[Predicate] = field(default_factory=list)
    groups: list[Grouping] = field(default_factory=list)
    plural: set[str] = field(default_factory=set)
    measures: list[Measure] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    recent: Recent | None = None
    limit: int | None = None
    nth: int | None = None
    coordinated: list[Condition] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    @property
    def by_groups(self) -> bool:
        """Whether the question asks about groups: by name, or how many of them."""
        return any(atom.kind == "group" or isinstance(atom.value, CountDistinct) for atom in self.atoms)

    def has(self, kind: str) -> bool:
        """Whether an atom of a kind is left."""
        return any(atom.kind == kind for atom in self.atoms)

    def first(self, kind: str) -> Atom | None:
        """Return the first atom of a kind."""
        return next((atom for atom in self.atoms if atom.kind == kind), None)


def collect(atoms: Sequence[Atom]) -> Parts:
    """Return what the atoms add up to.

    Raises:
        NotUnderstoodError: an atom has no place in any reading.
    """
    parts = Parts(atoms)
    for atom in atoms:
        if not (_add_value(parts, atom) or _add_kind(parts, atom) or atom.kind in load_model().silent):
            raise NotUnderstoodError(f"“{atom.words}” has no place in what was understood")
    return parts


def _add_value(parts: Parts, atom: Atom) -> bool:
    """Add an atom by the type of its meaning; return whether it was added."""
    value = atom.value
    if isinstance(value, Condition):
        parts.where.append(value.predicate)
        parts.conditions.append(value)
        if value.coordinated:
            parts.coordinated.append(value)
    elif isinstance(value, Grouping):
        _add_group(parts, value, plural=atom.words.lower().rstrip(")").endswith("s"))
    elif isinstance(value, Having):
        parts.having.append(value)
    elif isinstance(value, Ranking):
        parts.rankings.append(value)
    elif isinstance(value, Change):
        parts.changes.append(value)
    elif isinstance(value, Recent):
        parts.recent = value
    elif isinstance(value, Contrast):
        _contrast(parts, value)
    else:
        return False
    return True


def _add_group(parts: Parts, group: Grouping, *, plural: bool) -> None:
    for index, known in enumerate(parts.groups):
        if group.dimension.name == known.dimension.name:
            if group.dimension.named and not known.dimension.named:
                parts.groups[index] = replace(known, dimension=group.dimension)
            break
    else:
        parts.groups.append(group)
    if plural:
        parts.plural.add(group.dimension.name)


def _add_kind(parts: Parts, atom: Atom) -> bool:
    """Add an atom by its kind; return whether it was added."""
    value = atom.value
    if atom.kind == "meas":
        if value not in parts.measures:
            parts.measures.append(value)  # type: ignore[arg-type]  # a measure atom holds a measure
    elif atom.kind == "universal_group":
        assert isinstance(value, Dimension)
        parts.having.append(Having(CountDistinct(value), "=", Reference("universal")))
    elif atom.kind == "none_of":
        _none_of(parts, value)
    elif atom.kind == "limit":
        parts.limit = int(str(value))
    elif atom.kind == "nth":
        parts.nth = int(str(value))
    else:
        return False
    return True


def _contrast(parts: Parts, contrast: Contrast) -> None:
    if parts.by_groups:
        parts.having.append(Having(Count(both([contrast.has])), ">", 0))
        bound = (">", 0) if contrast.kind == "both" else ("=", 0)
        parts.having.append(Having(Count(both([contrast.other])), *bound))  # type: ignore[arg-type]  # literals
        return
    said = both([contrast.other])
    own = [part for part in said.parts if part not in both([contrast.has]).parts]
    parts.where += [contrast.has, *(negate(part) for part in own)]


def _none_of(parts: Parts, where: object) -> None:
    predicate = both([where])  # type: ignore[list-item]  # a none_of atom holds a predicate
    if parts.by_groups:
        parts.having.append(Having(Count(predicate), "=", 0))
    else:
        parts.where.append(negate(predicate))
