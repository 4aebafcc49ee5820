"""Phrases of people and the stored values they stand for."""

import pytest

from agent.semantic import Vocabulary, interpret
from agent.semantic.lexer import lex
from agent.semantic.meanings import Condition
from agent.semantic.predicates import columns_of, values_of
from tests.unit.semantic.conftest import load_cases


@pytest.mark.parametrize(("phrase", "column", "values"), load_cases("links.yaml"))
def test_phrase_stands_for(phrase: str, column: str, values: list[object], vocabulary: Vocabulary) -> None:
    conditions = [atom.value for atom in lex(phrase, vocabulary=vocabulary) if isinstance(atom.value, Condition)]
    assert len(conditions) == 1
    assert columns_of(conditions[0].predicate) == {column}
    assert set(values_of(conditions[0].predicate) or ()) == set(values)


def test_wording_decides_between_area_and_district(vocabulary: Vocabulary) -> None:
    readings = {
        "How many thefts in Austin?": '"COMMUNITY_AREA" = 25',
        "How many thefts in the Austin district?": '"DISTRICT" = 15',
        "How many thefts in the Austin community area?": '"COMMUNITY_AREA" = 25',
        "How many thefts in the Austin and Englewood districts?": '"DISTRICT" IN (15, 7)',
    }
    for question, condition in readings.items():
        sql = interpret(question, vocabulary=vocabulary).sql
        assert sql is not None
        assert condition in sql, question


def test_vocabulary_survives_its_cache(vocabulary: Vocabulary) -> None:
    again = Vocabulary.from_json(vocabulary.to_json())
    assert again == vocabulary
    assert again.variants("CRIME_TYPE", "CRIMINAL SEXUAL ASSAULT") == ("CRIM SEXUAL ASSAULT", "CRIMINAL SEXUAL ASSAULT")
    assert again.code("BEAT", "111") == "0111"
