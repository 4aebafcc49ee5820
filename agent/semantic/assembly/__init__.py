"""From the composed atoms of a question to its typed intent."""

from collections.abc import Sequence

from agent.semantic.algebra import Intent
from agent.semantic.assembly.lookups import read_lookup
from agent.semantic.assembly.parts import NotUnderstoodError, collect
from agent.semantic.assembly.rows import rows_of
from agent.semantic.assembly.sides import add_compared
from agent.semantic.assembly.summary import summary_of
from agent.semantic.grammar import Atom


def assemble(atoms: Sequence[Atom]) -> Intent:
    """Return the intent of a question's atoms.

    Raises:
        NotUnderstoodError: when an atom has no place in any reading, or the parts do not add up to a question.
    """
    if (names := read_lookup(atoms)) is not None:
        return names
    parts = collect(atoms)
    add_compared(parts)
    if (rows := rows_of(parts)) is not None:
        return rows
    return summary_of(parts)


__all__ = ["NotUnderstoodError", "assemble"]
