"""What the rule `vocabulary` lets pass, and what it stops."""

import pytest

from agent.benchmark import load_questions
from agent.semantic import Vocabulary, interpret, vocabulary_relevance
from tests.unit.semantic.conftest import load_cases

OUT = [str(case) for case in load_cases("out_of_scope.yaml")]


def test_no_benchmark_question_is_rejected(vocabulary: Vocabulary) -> None:
    verdicts = {
        question.question: vocabulary_relevance(question.question, vocabulary=vocabulary)
        for question in load_questions().questions
    }
    assert [text for text, verdict in verdicts.items() if verdict.verdict == "out_of_scope"] == []


def test_no_development_question_is_rejected(vocabulary: Vocabulary) -> None:
    cases = [*load_cases("questions.yaml"), *load_cases("more_questions.yaml")]
    texts = [str(case["q"]) for case in cases if not case.get("refused")]
    rejected = [t for t in texts if vocabulary_relevance(t, vocabulary=vocabulary).verdict == "out_of_scope"]
    assert rejected == []


@pytest.mark.parametrize("text", OUT)
def test_other_texts_give_no_query(text: str, vocabulary: Vocabulary) -> None:
    verdict = vocabulary_relevance(text, vocabulary=vocabulary)
    assert verdict.verdict != "in_scope"
    assert verdict.verdict == "out_of_scope" or interpret(text, vocabulary=vocabulary).sql is None


def test_most_of_them_stop_at_relevance(vocabulary: Vocabulary) -> None:
    stopped = [t for t in OUT if vocabulary_relevance(t, vocabulary=vocabulary).verdict == "out_of_scope"]
    assert len(stopped) >= 0.6 * len(OUT)


@pytest.mark.parametrize("text", ["thefts by month 2018", "arrest rate", "robberies Austin", "homicides per year"])
def test_elliptic_questions_are_in_scope(text: str, vocabulary: Vocabulary) -> None:
    assert vocabulary_relevance(text, vocabulary=vocabulary).verdict == "in_scope"
