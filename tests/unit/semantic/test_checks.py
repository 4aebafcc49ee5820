"""The checks of the semantic parser on the tables written apart from it."""

from pathlib import Path

import pytest

from agent.semantic import Vocabulary
from agent.semantic.check_grammar import MAX_RULES, measure_grammar, rule_names
from agent.semantic.check_linking import Phrase, measure_linking, read_phrases
from agent.semantic.check_relevance import AIMED_STOPPED, MAX_REJECTED, passing, read_lines, rejected
from tests.unit.semantic.conftest import FIXTURES

TABLES = Path(FIXTURES).parent / "semantic_eval"
RECALL = 0.91
PRECISION = 0.82
"""What linking reaches on the table; the aim is in the check itself."""


def test_texts_out_of_scope_are_stopped(vocabulary: Vocabulary) -> None:
    texts = read_lines(TABLES / "out_of_scope.txt")
    assert len(texts) == 150
    assert len(passing(texts, vocabulary=vocabulary)) <= (1 - AIMED_STOPPED) * len(texts)


def test_elliptic_texts_pass(vocabulary: Vocabulary) -> None:
    texts = read_lines(TABLES / "elliptic.txt")
    assert len(texts) == 60
    assert len(rejected(texts, vocabulary=vocabulary)) <= MAX_REJECTED * len(texts)


def test_linking_does_not_fall_back(vocabulary: Vocabulary) -> None:
    result = measure_linking(read_phrases(TABLES / "linking.tsv", vocabulary=vocabulary), vocabulary=vocabulary)
    assert result.recall >= RECALL
    assert result.precision >= PRECISION


@pytest.mark.parametrize(
    ("text", "values", "recall", "precision"),
    [
        ("thefts", {"THEFT"}, 1.0, 1.0),
        ("thefts", {"THEFT", "ROBBERY"}, 0.5, 1.0),
        ("thefts", {"ROBBERY"}, 0.0, 0.0),
    ],
)
def test_linking_is_counted(
    text: str, values: set[str], recall: float, precision: float, vocabulary: Vocabulary
) -> None:
    meaning = frozenset(("CRIME_TYPE", value) for value in values)
    result = measure_linking([Phrase(text, meaning, meaning)], vocabulary=vocabulary)
    assert (result.recall, result.precision) == (recall, precision)


def test_rules_are_few_and_counted_by_skeleton(vocabulary: Vocabulary) -> None:
    assert len(rule_names()) <= MAX_RULES
    same = ["How many thefts were there in 2017?", "How many robberies were there in 2019?"]
    one = measure_grammar(same, vocabulary=vocabulary)
    two = measure_grammar([*same, "How many arsons were there by year?"], vocabulary=vocabulary)
    assert one["counted"] == 1
    assert two["counted"] == 2
    assert sum(number > 0 for number in two.values()) > sum(number > 0 for number in one.values())
