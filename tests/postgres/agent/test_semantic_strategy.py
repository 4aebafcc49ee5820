"""The strategy without a model, end to end."""

import pytest

from agent.arms import Arm, default_arm
from agent.ask import ask
from tests.postgres.agent.conftest import keyless

pytestmark = pytest.mark.postgres


@pytest.fixture
def asking(warehouse, published, guard, home):
    settings = keyless(home)

    def run(question, **fields):
        arm = Arm(strategy="semantic", **fields)
        return ask(question, arm=arm, warehouse=warehouse, settings=settings, guard=guard)

    return run


def rows_of(warehouse, sql):
    with warehouse.owner() as conn:
        return tuple(conn.execute(sql).fetchall())


def test_it_is_the_default_without_a_key(home):
    assert default_arm(keyless(home)).strategy == "semantic"


def test_a_count_is_exact_understood_and_supported(asking, warehouse, published):
    asked = asking("How many thefts were there in 2017?")
    expected = rows_of(warehouse, "SELECT count(*) FROM raw.crime WHERE primary_type = 'THEFT' AND year = 2017")
    assert asked.outcome == "answered"
    assert asked.rows == expected
    assert f"{expected[0][0]:,}" in asked.answer
    assert asked.unsupported_numbers == ()
    assert asked.understood
    assert (asked.model, asked.stage, asked.tokens_in, asked.cost) == (None, None, 0, 0.0)
    assert asked.snapshot_id == published
    assert asked.relevance.verdict == "in_scope"
    assert [step.node for step in asked.trace] == ["relevance", "interpret", "validate", "run", "answer"]


@pytest.mark.parametrize(
    "question", ["What is the weather like in Paris?", "Write me a poem about the sea", "Hello, who are you?"]
)
def test_out_of_scope_ends_at_relevance_with_that_said(asking, question):
    asked = asking(question)
    assert (asked.outcome, asked.error.kind, asked.sql) == ("no_query", "out_of_scope", None)
    assert asked.answer.startswith("This question is outside the data: ")
    assert [step.node for step in asked.trace] == ["relevance"]


@pytest.mark.parametrize(
    "question",
    [
        "'; DROP TABLE crime_incidents; --",
        "SELECT * FROM pg_user",
        "DELETE FROM crime_incidents WHERE 1=1",
        "How many thefts'); TRUNCATE raw.crime; --",
        "1 OR 1=1",
        'thefts in "pg_catalog".pg_user',
    ],
)
def test_hostile_text_runs_nothing_and_changes_nothing(asking, warehouse, published, question):
    asked = asking(question)
    assert asked.outcome in ("no_query", "refused")
    assert asked.rows == ()
    assert rows_of(warehouse, "SELECT count(*) FROM raw.crime") == ((4000,),)
    assert rows_of(warehouse, f"SELECT count(*) FROM {published}.crime_incidents") == ((4000,),)


def test_the_paper_rule_turns_away_what_the_vocabulary_lets_through(asking):
    question = "Which year had the highest number of homicide offenses?"
    assert asking(question, relevance="paper").error.kind == "out_of_scope"
    assert asking(question).relevance.verdict != "out_of_scope"


@pytest.mark.parametrize(
    "question",
    [
        "List all distinct location risk categories.",
        "What is the arrest rate for each crime category?",
        "Which 5 districts (by name) have the highest number of arrests?",
        "Which districts (by name) had more than 20000 crimes in 2024?",
        "Which year had the highest number of homicide offenses?",
        "Which community areas (by name) had more than 5000 property crimes?",
    ],
)
def test_the_vocabulary_rule_passes_the_papers_rejected_questions(asking, question):
    assert asking(question).relevance.verdict != "out_of_scope"


def test_the_work_beside_the_query_is_quick(asking):
    asking("How many thefts were there in 2017?")
    asked = asking("How many batteries were there in 2018?")
    assert asked.ms - asked.query_ms < 150
