"""Questions about the lookup tables themselves: names of codes, codes of names, which names there are."""

from collections.abc import Sequence

from agent.semantic.algebra import CountDistinct, Dimension, Lookup, LookupRows
from agent.semantic.grammar import Atom
from agent.semantic.meanings import Condition, Grouping
from agent.semantic.model import load_model
from agent.semantic.predicates import EVERYTHING, Compare, OneOf, Predicate

_PLAIN = frozenset(
    {"ask", "which", "all", "name", "code", "verb", "by", "and", "count_of", "lookup", "called", "distinct", "rel"}
) | {"meas", "group", "fill", "comma", "order_asc", "alphabetical"}


def read_lookup(atoms: Sequence[Atom]) -> LookupRows | None:
    """Return the rows of a lookup table a question asks for; None when it is about incidents."""
    if any(atom.kind not in _PLAIN | {"cond"} for atom in atoms):
        return None
    conditions = [atom.value for atom in atoms if isinstance(atom.value, Condition)]
    if len(conditions) == 1:
        return _one_name(atoms, conditions[0])
    return None if conditions else _all_names(atoms)


def _all_names(atoms: Sequence[Atom]) -> LookupRows | None:
    kinds = {atom.kind for atom in atoms}
    counted = [atom.value.dimension for atom in atoms if isinstance(atom.value, CountDistinct)]
    grouped = [atom.value for atom in atoms if isinstance(atom.value, Grouping)]
    if counted and not grouped and "distinct" not in kinds and len(counted) == 1 and counted[0].lookup is not None:
        return LookupRows(counted[0].lookup, (), EVERYTHING, count=True)
    if len(grouped) != 1 or counted or "meas" in kinds or ("count_of" in kinds - {"lookup"} and "lookup" not in kinds):
        return None
    dimension = grouped[0].dimension
    if dimension.lookup is None or grouped[0].role in {"each", "by", "period"}:
        return None
    shown = (dimension.lookup.key, dimension.lookup.name) if "code" in kinds else (dimension.lookup.name,)
    return LookupRows(dimension.lookup, shown, EVERYTHING)


def _one_name(atoms: Sequence[Atom], condition: Condition) -> LookupRows | None:
    """What is district 11 called; which number does the Englewood district have."""
    lookup = _lookup_of(condition)
    asks_code = any(atom.kind in {"code", "count_of"} for atom in atoms) or _asks_group(atoms, "number")
    asks_name = any(atom.kind in {"name", "called"} for atom in atoms)
    if lookup is None or not (asks_code or asks_name):
        return None
    where = _renamed(condition.predicate, lookup.key)
    if any(atom.kind == "meas" and not isinstance(atom.value, CountDistinct) for atom in atoms):
        return None
    numbered = any(character.isdigit() for character in condition.label)
    return LookupRows(lookup, (lookup.name,) if numbered else (lookup.key,), where)


def _asks_group(atoms: Sequence[Atom], word: str) -> bool:
    return any(word in atom.words.lower() for atom in atoms if atom.kind in {"group", "meas"})


def _lookup_of(condition: Condition) -> Lookup | None:
    found: Dimension | None = next(
        (d for d in load_model().dimensions.values() if d.lookup is not None and condition.columns == {d.column}), None
    )
    return found.lookup if found else None


def _renamed(predicate: Predicate, key: str) -> Predicate:
    if isinstance(predicate, Compare):
        return Compare(key, predicate.operator, predicate.value)
    assert isinstance(predicate, OneOf)
    return OneOf(key, predicate.values)
