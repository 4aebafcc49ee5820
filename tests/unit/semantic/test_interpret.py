"""Readings of questions, refusals, and changes of wording that must change nothing or one thing only."""

import statistics
import time

import pytest
import sqlglot

from agent.semantic import Vocabulary, interpret
from tests.unit.semantic.conftest import load_cases

QUESTIONS = [str(case["q"]) for name in ("questions.yaml", "more_questions.yaml") for case in load_cases(name)]
ANSWERABLE = [
    str(case["q"])
    for name in ("questions.yaml", "more_questions.yaml")
    for case in load_cases(name)
    if not case.get("refused")
]


@pytest.mark.parametrize(("question", "understood"), load_cases("readings.yaml"))
def test_reading(question: str, understood: str, vocabulary: Vocabulary) -> None:
    read = interpret(question, vocabulary=vocabulary)
    assert read.refusal is None
    assert read.understood == understood


@pytest.mark.parametrize(("question", "reason"), load_cases("refusals.yaml"))
def test_refusal_says_why(question: str, reason: str, vocabulary: Vocabulary) -> None:
    read = interpret(question, vocabulary=vocabulary)
    assert read.sql is None
    assert read.refusal is not None
    assert reason in read.refusal


@pytest.mark.parametrize("prefix", ["Please tell me: ", "Could you show me, please, ", "I would like to know: "])
def test_polite_prefix_changes_nothing(prefix: str, vocabulary: Vocabulary) -> None:
    for question in ANSWERABLE:
        plain = interpret(question, vocabulary=vocabulary)
        polite = interpret(prefix + question[0].lower() + question[1:], vocabulary=vocabulary)
        if question.startswith(("Where", "In ")):
            continue
        assert polite.sql == plain.sql, question


def test_another_type_changes_only_its_literal(vocabulary: Vocabulary) -> None:
    swapped = 0
    for question in ANSWERABLE:
        if question.count("thefts") != 1 or any(word in question for word in ("$", "car t", "vehicle t", "from b")):
            continue
        one = interpret(question, vocabulary=vocabulary).sql
        other = interpret(question.replace("thefts", "kidnappings"), vocabulary=vocabulary).sql
        assert one is not None
        assert other == one.replace("'THEFT'", "'KIDNAPPING'"), question
        swapped += 1
    assert swapped > 20


def test_an_added_filter_is_an_added_condition(vocabulary: Vocabulary) -> None:
    plain = interpret("How many thefts were there in 2017?", vocabulary=vocabulary).sql
    fewer = interpret("How many domestic thefts were there in 2017?", vocabulary=vocabulary).sql
    assert plain is not None
    assert fewer is not None
    conditions = [set(_conditions(sql)) for sql in (plain, fewer)]
    assert conditions[0] < conditions[1]
    assert conditions[1] - conditions[0] == {'"DOMESTIC" = TRUE'}


def _conditions(sql: str) -> list[str]:
    where = sqlglot.parse_one(sql, read="postgres").args["where"].this
    return [part.sql(dialect="postgres") for part in where.flatten()]


def test_every_query_is_one_select_of_the_four_tables(vocabulary: Vocabulary) -> None:
    known = {"crime_incidents", "district_names", "community_area_names", "ward_names"}
    for question in ANSWERABLE:
        sql = interpret(question, vocabulary=vocabulary).sql
        if sql is None:
            continue
        (tree,) = sqlglot.parse(sql, read="postgres")
        assert isinstance(tree, sqlglot.exp.Select)
        inner = {cte.alias for cte in tree.find_all(sqlglot.exp.CTE)}
        assert {table.name for table in tree.find_all(sqlglot.exp.Table)} - inner <= known, question


def test_it_is_fast(vocabulary: Vocabulary) -> None:
    interpret("How many thefts were there in 2017?", vocabulary=vocabulary)
    seconds = []
    for question in QUESTIONS:
        start = time.perf_counter()
        interpret(question, vocabulary=vocabulary)
        seconds.append(time.perf_counter() - start)
    assert statistics.median(seconds) < 0.02
