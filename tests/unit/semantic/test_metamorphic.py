"""Changes of wording over the benchmark's and the development questions that must change nothing, or one thing only."""

import re

import pytest
import sqlglot
from sqlglot import exp

from agent.benchmark import load_questions
from agent.semantic import Vocabulary, interpret
from tests.unit.semantic.conftest import load_cases

TEXTS = [
    *(question.question for question in load_questions().questions),
    *(str(case["q"]) for name in ("questions.yaml", "more_questions.yaml") for case in load_cases(name)),
]
YEAR = re.compile(r"\b(20[01]\d)\b")


@pytest.fixture(scope="module")
def understood(vocabulary: Vocabulary) -> dict[str, str]:
    read = {text: interpret(text, vocabulary=vocabulary).sql for text in TEXTS}
    return {text: sql for text, sql in read.items() if sql is not None}


def test_most_are_understood(understood: dict[str, str]) -> None:
    assert len(understood) > 0.8 * len(TEXTS)


def test_another_year_changes_only_its_literal(understood: dict[str, str], vocabulary: Vocabulary) -> None:
    swapped = 0
    for text, sql in understood.items():
        if len(YEAR.findall(text)) != 1:
            continue
        (year,) = YEAR.findall(text)
        other = "2013" if year != "2013" else "2012"
        changed = interpret(text.replace(year, other), vocabulary=vocabulary).sql
        assert changed is not None, text
        assert _masked(changed) == _masked(sql), text
        swapped += 1
    assert swapped > 50


@pytest.mark.parametrize("prefix", ["Please tell me: ", "I would like to know: "])
def test_polite_prefix_changes_nothing(prefix: str, understood: dict[str, str], vocabulary: Vocabulary) -> None:
    different = [
        text
        for text, sql in understood.items()
        if not text.startswith(("Where", "In "))
        and interpret(prefix + text[0].lower() + text[1:], vocabulary=vocabulary).sql != sql
    ]
    assert different == []


def test_a_filter_on_a_count_adds_conditions_only(understood: dict[str, str], vocabulary: Vocabulary) -> None:
    narrowed = 0
    for text, sql in understood.items():
        if not text.startswith("How many ") or not _is_plain_count(sql) or "weekend" in text:
            continue
        fewer = interpret(text.rstrip("?") + " on weekends?", vocabulary=vocabulary).sql
        if fewer is None:
            continue
        assert _is_plain_count(fewer), text
        assert _conditions(sql) < _conditions(fewer), text
        narrowed += 1
    assert narrowed > 10


def _masked(sql: str) -> str:
    tree = sqlglot.parse_one(sql, read="postgres")
    for literal in list(tree.find_all(exp.Literal)):
        literal.replace(exp.Placeholder())
    return tree.sql(dialect="postgres")


def _is_plain_count(sql: str) -> bool:
    tree = sqlglot.parse_one(sql, read="postgres")
    plain = not any(tree.args.get(part) for part in ("group", "having", "with", "with_"))
    return plain and [one.sql() for one in tree.selects] == ["COUNT(*) AS incidents"]


def _conditions(sql: str) -> set[str]:
    where = sqlglot.parse_one(sql, read="postgres").args.get("where")
    if where is None:
        return set()
    parts = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    return {part.sql(dialect="postgres") for part in parts}
