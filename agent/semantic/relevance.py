"""Relevance by the semantic model and the stored values: in scope, out of scope, or unsure (which passes)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.semantic.grammar import Atom
from agent.semantic.lexer import lex
from agent.semantic.meanings import Condition
from agent.semantic.model import load_model
from agent.semantic.places import place_names
from agent.semantic.text import stems
from agent.semantic.vocabulary import Vocabulary

_DOMAIN = frozenset({"pop", "named_share", "col"})
_PLACE_BEFORE = re.compile(r"\b(?:in|of|from|for|near|at|around)\s+((?:[A-Z][\w'.-]+\s?)+)")


@dataclass(frozen=True)
class RelevanceVerdict:
    """Whether a question is about this data set, and why."""

    verdict: Literal["in_scope", "out_of_scope", "unsure"]
    reason: str


def vocabulary_relevance(question: str, *, vocabulary: Vocabulary) -> RelevanceVerdict:
    """Return whether a text asks about the crime data.

    In scope: it names incidents, stored values or columns and every word is known. Out of scope: it names nothing of
    the kind, gives commands, or asks for what the data set lacks or for another place. Else unsure.
    """
    if (command := load_model().commands.search(question)) is not None:
        return RelevanceVerdict("out_of_scope", f"“{command.group().strip()}” is an instruction, not a question")
    atoms = [atom for atom in lex(question, vocabulary=vocabulary) if atom.kind != "fill"]
    absent = [atom for atom in atoms if atom.kind == "absent"]
    if absent:
        return RelevanceVerdict("out_of_scope", f"the data set holds nothing about {absent[0].value}")
    unknown = [atom for atom in atoms if atom.kind == "unknown"]
    if unknown and (place := _other_place(question, unknown)) is not None:
        return RelevanceVerdict("out_of_scope", f"“{place}” is no place in this data set")
    return _judged(atoms, unknown)


def _judged(atoms: Sequence[Atom], unknown: Sequence[Atom]) -> RelevanceVerdict:
    named = [atom.words for atom in atoms if _is_domain(atom)]
    words = ", ".join(f"“{atom.words}”" for atom in unknown)
    if named and not unknown:
        return RelevanceVerdict("in_scope", f"names {', '.join(named)}")
    if named:
        return RelevanceVerdict("unsure", f"names {', '.join(named)}, but not known: {words}")
    if unknown or not any(atom.kind in {"cond", "dim"} for atom in atoms):
        return RelevanceVerdict("out_of_scope", "names neither incidents nor a column nor a stored value")
    return RelevanceVerdict("unsure", "names only dates or groups")


def _is_domain(atom: Atom) -> bool:
    if isinstance(atom.value, Condition):
        return not atom.value.is_time
    if atom.kind == "dim":
        return getattr(atom.value, "order", "") != "time"
    return atom.kind in _DOMAIN


def _other_place(question: str, unknown: Sequence[Atom]) -> str | None:
    """Return a place the question names and the data do not know."""
    words = {atom.words for atom in unknown}
    for found in _PLACE_BEFORE.finditer(question):
        if any(word in words for word in re.findall(r"[\w']+", found.group(1))):
            return found.group(1).strip()
    stemmed = stems(" ".join(atom.words for atom in unknown))
    runs = {stemmed[i : i + size] for size in (1, 2, 3) for i in range(len(stemmed) - size + 1)}
    known = runs & place_names()
    return max((" ".join(name) for name in known), key=len) if known else None
