"""From a question to SQL: lexing, composition, assembly, rendering; a question not understood whole is refused."""

from itertools import pairwise

from agent.semantic.algebra import Interpretation
from agent.semantic.assembly import NotUnderstoodError, assemble
from agent.semantic.describe import describe
from agent.semantic.grammar import Atom
from agent.semantic.lexer import lex
from agent.semantic.meanings import Condition
from agent.semantic.rules import BRACKETS, CALENDAR_STAGES, STAGES
from agent.semantic.sql import render
from agent.semantic.vocabulary import Vocabulary

_PLACES = frozenset({"LOCATION_DESCRIPTION", "LOCATION_CATEGORY", "LOCATION_RISK"})
_DATE_DIMENSIONS = frozenset({"year", "quarter", "month", "hour"})


def interpret(question: str, *, vocabulary: Vocabulary) -> Interpretation:
    """Return what a question means and the query for it, or the reason why there is none.

    Example: `interpret("How many thefts were there in 2017?", vocabulary=v).sql` counts the thefts of 2017.
    """
    lexed = lex(question, vocabulary=vocabulary)
    ignored = tuple(atom.words for atom in lexed if atom.kind == "fill" and any(map(str.isalpha, atom.words)))
    if (refusal := _refusal(lexed)) is not None:
        return Interpretation(None, "", ignored, refusal)
    used: list[str] = []
    try:
        atoms = compose([atom for atom in lexed if atom.kind != "fill"], used=used)
        intent = assemble(atoms)
        return Interpretation(render(intent), describe(intent), ignored, None, intent, tuple(used))
    except NotUnderstoodError as error:
        return Interpretation(None, "", ignored, f"not understood: {error}", None, tuple(used))


def compose(atoms: list[Atom], *, used: list[str]) -> list[Atom]:
    """Return the atoms after all stages of composition; `used` collects the names of the rules that took part."""
    atoms = [_dated(atom) for atom in BRACKETS.apply(atoms, used=used)]
    for stage in CALENDAR_STAGES:
        atoms = stage.apply(atoms, used=used)
    atoms = [Atom("dim", a.value, a.words, a.at) if a.kind.startswith("dim_") else a for a in atoms]
    for stage in STAGES:
        atoms = stage.apply(atoms, used=used)
    return atoms


def _dated(atom: Atom) -> Atom:
    name = getattr(atom.value, "name", "")
    if atom.kind == "dim" and name in _DATE_DIMENSIONS:
        return Atom(f"dim_{name}", atom.value, atom.words, atom.at)
    return atom


def _refusal(atoms: list[Atom]) -> str | None:
    absent = [atom for atom in atoms if atom.kind == "absent"]
    if absent:
        return f"the data set holds nothing about {absent[0].value} (“{absent[0].words}”)"
    unknown = [atom.words for atom in atoms if atom.kind == "unknown"]
    if unknown:
        return "not understood: " + ", ".join(f"“{word}”" for word in unknown)
    if (places := _counted_places(atoms)) is not None:
        return f"not understood: “{places}”: the data hold incidents, not the places themselves"
    if any(atom.kind == "now_word" for atom in atoms):
        return "dates relative to today have no meaning in a snapshot; name the date, month or year"
    return None


def _counted_places(atoms: list[Atom]) -> str | None:
    """Return the places a question counts ("how many schools are there"), if it names no incidents at all."""
    named = [atom.value for atom in atoms if isinstance(atom.value, Condition) and not atom.value.is_time]
    if any(atom.kind in {"pop", "named_share"} for atom in atoms) or any(value.noun for value in named):
        return None
    for first, second in pairwise(atom for atom in atoms if atom.kind != "fill"):
        if first.kind == "count_of" and isinstance(second.value, Condition) and second.value.columns <= _PLACES:
            return second.words
    return None
