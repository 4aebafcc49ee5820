"""`make check-linking`: recall and precision of value linking on a table of phrases, and the phrases that miss."""

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.semantic.interpret import compose
from agent.semantic.lexer import lex
from agent.semantic.meanings import Condition
from agent.semantic.predicates import All, AnyOf, Contains, Predicate, columns_of, values_of
from agent.semantic.vocabulary import LOOKUPS, Vocabulary
from include.errors import EXIT_REFUSED

AIMED_RECALL = 0.98
AIMED_PRECISION = 0.97
Meaning = tuple[str, str]


@dataclass(frozen=True)
class Phrase:
    """A phrase with the stored values it means and those that are right beside them."""

    text: str
    expected: frozenset[Meaning]
    accepted: frozenset[Meaning]


@dataclass(frozen=True)
class Linking:
    """How well phrases are linked.

    Attributes:
        recall: share of the expected values that were linked.
        precision: share of the linked values that were expected or accepted.
        missed: phrase -> what it was linked to, where something is missing or too much.
    """

    phrases: int
    recall: float
    precision: float
    missed: Mapping[str, frozenset[Meaning]]


def measure_linking(phrases: Sequence[Phrase], *, vocabulary: Vocabulary) -> Linking:
    """Return recall and precision over the phrases; of an ambiguous phrase the meaning that fits best counts."""
    readings: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        readings.setdefault(phrase.text, []).append(phrase)
    found = expected = right = linked = 0
    missed: dict[str, frozenset[Meaning]] = {}
    for text, meanings in readings.items():
        got = linked_values(text, vocabulary=vocabulary)
        best = max(meanings, key=lambda one: len(one.expected & got) - len(got - one.accepted))
        expected += len(best.expected)
        found += len(best.expected & got)
        linked += len(got)
        right += len(got & best.accepted)
        if not best.expected <= got <= best.accepted:
            missed[text] = got
    return Linking(len(phrases), found / max(expected, 1), right / max(linked, 1), missed)


def linked_values(text: str, *, vocabulary: Vocabulary) -> frozenset[Meaning]:
    """Return the (column, value) pairs a text is linked to; numbers of lookups as their names."""
    atoms = compose([atom for atom in lex(text, vocabulary=vocabulary) if atom.kind != "fill"], used=[])
    conditions = [atom.value for atom in atoms if isinstance(atom.value, Condition)]
    return frozenset(pair for one in conditions for pair in _pairs(one.predicate, vocabulary))


def read_phrases(path: Path, *, vocabulary: Vocabulary) -> list[Phrase]:
    """Read the table of phrases; values the snapshot does not store are left out of what is expected.

    Raises:
        OSError: the file cannot be read.
    """
    phrases = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            column = _COLUMN_NAMES.get(row["column"], row["column"])
            stored = _stored(column, vocabulary)
            expected = frozenset((column, value) for value in _split(row["values"]) if value in stored)
            also = frozenset((column, value) for value in _split(row["also_accepted"]))
            if expected:
                phrases.append(Phrase(row["phrase"], expected, expected | also))
    return phrases


_COLUMN_NAMES = {name: column for column, (_, _, name) in LOOKUPS.items()}


def _split(text: str | None) -> list[str]:
    return [value for value in (text or "").split("|") if value]


def _stored(column: str, vocabulary: Vocabulary) -> frozenset[str]:
    if column in vocabulary.names:
        return frozenset(vocabulary.names[column].values())
    return frozenset(vocabulary.counts.get(column, {}))


def _pairs(predicate: Predicate, vocabulary: Vocabulary) -> set[Meaning]:
    if isinstance(predicate, All | AnyOf):
        return {pair for part in predicate.parts for pair in _pairs(part, vocabulary)}
    if isinstance(predicate, Contains):
        stored = _stored(predicate.column, vocabulary)
        return {(predicate.column, value) for value in stored if predicate.text.upper() in value.upper()}
    names = vocabulary.names
    return {
        (column, names[column].get(int(value), str(value)) if column in names else str(value))
        for column in columns_of(predicate)
        for value in values_of(predicate) or ()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures and the phrases that miss; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phrases", type=Path, help="tab-separated: phrase, column, values, also_accepted, kind")
    parser.add_argument("vocabulary", type=Path, help="stored values as JSON")
    chosen = parser.parse_args(arguments)
    vocabulary = Vocabulary.from_json(json.loads(chosen.vocabulary.read_text(encoding="utf-8")))
    result = measure_linking(read_phrases(chosen.phrases, vocabulary=vocabulary), vocabulary=vocabulary)
    for text, got in sorted(result.missed.items()):
        sys.stdout.write(f"  {text!r} -> {', '.join(sorted(value for _, value in got)) or 'nothing'}\n")
    sys.stdout.write(f"{result.phrases} phrases: recall {result.recall:.1%}, precision {result.precision:.1%}\n")
    return 0 if result.recall >= AIMED_RECALL and result.precision >= AIMED_PRECISION else EXIT_REFUSED


if __name__ == "__main__":
    sys.exit(main())
