"""`agent_1` and `agent_2` end to end: a scripted model, a real snapshot, the real guard."""

import json

import pytest

from agent.arms import Arm
from agent.ask import ask
from agent.prompts import load_prompt, stage_prompt
from tests.postgres.agent.conftest import MODELS, keyless, scripted
from tests.support.openai_server import Request, Said, serve_model

pytestmark = pytest.mark.postgres

QUESTION = "How many thefts were there in 2017?"
GOOD = """```sql
SELECT COUNT(*) AS thefts FROM crime_incidents WHERE "CRIME_TYPE" = 'THEFT' AND "YEAR" = 2017
```"""
BAD_COLUMN = "```sql\nSELECT COUNT(*) FROM crime_incidents WHERE \"KIND\" = 'THEFT'\n```"
FORBIDDEN = "```sql\nDELETE FROM crime_incidents\n```"
PROSE = "I would rather not."


def thefts_of_2017(warehouse, published) -> int:
    with warehouse.owner() as conn:
        row = conn.execute(
            "SELECT count(*) FROM raw.crime"
            " WHERE primary_type = 'THEFT' AND date >= '2017-01-01' AND date < '2018-01-01'"
        ).fetchone()
    return row[0]


@pytest.fixture
def asking(warehouse, published, guard, home):
    """Ask with a script; return what came of it and the recorded requests."""

    def run(script, question=QUESTION, strategy="agent_2", model=MODELS[1], **fields):
        arm = Arm(strategy=strategy, model=model, **fields)
        with serve_model(script) as server:
            settings = scripted(server, home)
            asked = ask(question, arm=arm, warehouse=warehouse, settings=settings, guard=guard)
        return asked, server.requests

    return run


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("strategy", ["agent_1", "agent_2"])
@pytest.mark.parametrize("stage", [1, 2, 3, 4, "limit10"])
def test_requests_and_answer(asking, warehouse, published, model, strategy, stage):
    expected = thefts_of_2017(warehouse, published)
    text = f"There were {expected} thefts in 2017."
    asked, requests = asking([GOOD, text], strategy=strategy, stage=stage, model=model)

    assert asked.outcome == "answered"
    assert asked.rows == ((expected,),)
    assert asked.answer == text
    assert asked.unsupported_numbers == ()
    assert (asked.strategy, asked.stage, asked.model, asked.snapshot_id) == (strategy, stage, model, published)
    assert [(attempt.number, attempt.failure) for attempt in asked.attempts] == [(1, None)]
    assert (asked.tokens_in, asked.tokens_out) == (200, 40)

    written, narrated = requests
    for request in requests:
        assert 0 <= request.body["temperature"] <= 1e-8
        assert request.body["max_tokens"] == 500
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert written.system == stage_prompt(stage)
    assert QUESTION in written.user
    assert "Table crime_incidents" in written.user
    assert '"CRIME_TYPE" text' in written.user
    assert "references district_names(district_id)" in written.user
    assert "Table crime_incidents" not in written.system
    assert narrated.system == load_prompt("answer.md")
    assert json.loads(narrated.user)["rows"] == [[expected]]


def test_the_schema_message_is_the_same_at_every_stage(asking):
    users = {asking([GOOD, "ok"], strategy="agent_1", stage=stage)[1][0].user for stage in (1, 2, 3, 4, "limit10")}
    assert len(users) == 1


def test_errors_are_fed_back_and_the_second_attempt_counts(asking):
    asked, requests = asking([BAD_COLUMN, GOOD, "Done."])
    assert asked.outcome == "answered"
    first, second = asked.attempts
    assert (first.number, first.failure.node, first.failure.sqlstate) == (1, "validate", "42703")
    assert (second.number, second.failure) == (2, None)
    retry = requests[1]
    assert retry.system == requests[0].system
    assert retry.user.startswith(requests[0].user)
    assert '"KIND"' in retry.user.removeprefix(requests[0].user)
    assert "42703" in retry.user


@pytest.mark.parametrize(
    ("script", "outcome", "kind", "detail"),
    [
        ([BAD_COLUMN] * 3, "invalid", "invalid", "validate, SQLSTATE 42703"),
        ([FORBIDDEN] * 3, "refused", "refused", "validate, rule "),
        ([PROSE] * 3, "no_query", "no_sql", "generate: "),
        ([Said("Let me think about", finish_reason="length")] * 3, "no_query", "length", "cut at the token limit"),
        ([PROSE, FORBIDDEN, BAD_COLUMN], "invalid", "invalid", "SQLSTATE 42703"),
    ],
)
def test_the_loop_stops_after_three_attempts_with_the_fixed_message(asking, script, outcome, kind, detail):
    asked, requests = asking(script)
    assert len(requests) == len(asked.attempts) == 3
    assert (asked.outcome, asked.error.kind) == (outcome, kind)
    assert asked.answer.startswith("No query for this question passed in 3 attempts.")
    assert detail in asked.answer
    assert asked.answer.endswith("Please rephrase the question.")
    assert asked.rows == ()


@pytest.mark.parametrize(
    ("reply", "outcome", "kind"),
    [
        (BAD_COLUMN, "invalid", "invalid"),
        (FORBIDDEN, "refused", "refused"),
        (PROSE, "no_query", "no_sql"),
        (Said("```sql\nSELECT COUNT(*) FROM", finish_reason="length"), "no_query", "length"),
        ('SELECT 1 / ("WARD" - "WARD") FROM crime_incidents', "invalid", "invalid"),
    ],
)
def test_agent_1_has_one_attempt(asking, reply, outcome, kind):
    asked, requests = asking([reply], strategy="agent_1")
    assert len(requests) == 1
    assert (asked.outcome, asked.error.kind) == (outcome, kind)
    assert "rephrase" not in asked.answer
    assert asked.error.message.rstrip(".") in asked.answer


def test_a_query_that_fails_only_when_run_is_shown_with_its_sqlstate(asking):
    asked, requests = asking(['SELECT 1 / ("WARD" - "WARD") FROM crime_incidents'])
    assert len(requests) == 1
    assert (asked.outcome, asked.error.node, asked.error.sqlstate) == ("invalid", "run", "22012")
    assert "run, SQLSTATE 22012: division by zero" in asked.answer


@pytest.mark.parametrize(
    ("rule", "question", "outcome", "calls"),
    [
        ("paper", "Which year had the highest number of homicide offenses?", "no_query", 0),
        ("paper", "How many crimes were there in 2017?", "answered", 2),
        ("vocabulary", "Which year had the highest number of homicide offenses?", "answered", 2),
    ],
)
def test_relevance_of_agent_2(asking, rule, question, outcome, calls):
    asked, requests = asking([GOOD, "Done."], question=question, relevance=rule)
    assert (asked.outcome, len(requests)) == (outcome, calls)
    assert asked.relevance.rule == rule
    if calls == 0:
        assert asked.error.kind == "out_of_scope"
        assert "no action phrase" in asked.answer
        assert asked.sql is None


def test_a_wrong_number_is_replaced_in_the_mode_verified_and_kept_in_the_mode_paper(asking, warehouse, published):
    expected = thefts_of_2017(warehouse, published)
    wrong = f"There were {expected + 1} thefts in 2017."
    verified, _ = asking([GOOD, wrong], answers="verified")
    paper, requests = asking([GOOD, wrong], answers="paper")
    assert verified.unsupported_numbers == paper.unsupported_numbers == (str(expected + 1),)
    assert verified.answer == f"Thefts: {expected}."
    assert paper.answer == wrong
    assert verified.answer_texts == paper.answer_texts
    assert requests[1].system == load_prompt("answer_paper.md")
    assert "facts" not in json.loads(requests[1].user)


def test_the_paper_mode_shows_the_model_ten_rows_the_verified_mode_the_facts_too(asking):
    listing = '```sql\nSELECT "COMMUNITY_AREA", COUNT(*) AS n FROM crime_incidents GROUP BY 1 ORDER BY 1\n```'
    asked, requests = asking([listing, "Many areas."], answers="verified")
    document = json.loads(requests[1].user)
    assert len(document["rows"]) == 10
    assert document["facts"]["row_count"] == asked.row_count == 78
    assert document["facts"]["columns"]["n"]["total"] == 4000


def test_faults_of_the_provider_are_no_faults_of_the_model(asking):
    for said, text in (
        (Said(status=503, error="down", headers={"retry-after": "0"}), "not available"),
        (Said(status=401, error="bad key"), "refused the request"),
        (Said(status=413, error="Request too large"), "too large"),
        (Said(status=429, error="on tokens per day (TPD): Limit 200000"), "quota"),
    ):
        asked, _ = asking(lambda _, said=said: said)
        assert (asked.outcome, asked.error.kind) == ("infrastructure", "infrastructure")
        assert text in asked.answer


def test_rows_are_kept_when_the_model_cannot_narrate_them(asking, warehouse, published):
    asked, _ = asking([GOOD, Said(status=401, error="bad key")])
    assert asked.outcome == "answered"
    assert asked.answer == f"Thefts: {thefts_of_2017(warehouse, published)}."
    assert asked.answer_texts.model is None


def test_text_in_the_question_is_data(asking, warehouse, published):
    def echo(request: Request) -> str:
        return "```sql\n" + request.user.rpartition("Question: ")[2] + "\n```"

    for question in (
        "count crimes'; DROP TABLE crime_incidents; --",
        "SELECT 1; DELETE FROM crime_incidents",
        "list crimes {schema} {0} %s %(x)s",
    ):
        asked, requests = asking(echo, question=question, strategy="agent_1")
        assert asked.outcome in ("refused", "invalid", "no_query")
        assert question in requests[0].user
        careful, _ = asking(echo, question=question, strategy="agent_2")
        assert careful.outcome in ("refused", "invalid", "no_query")
    with warehouse.owner() as conn:
        assert conn.execute(f"SELECT count(*) FROM {published}.crime_incidents").fetchone() == (4000,)


def test_json_has_exactly_the_designs_fields(asking):
    asked, _ = asking([BAD_COLUMN, GOOD, "Done."])
    document = json.loads(json.dumps(asked.to_json()))
    assert list(document) == [
        "question", "relevance", "outcome", "answer", "understood", "sql", "columns", "rows", "row_count", "truncated",
        "snapshot_id", "strategy", "stage", "model", "attempts", "unsupported_numbers", "ms", "tokens", "cost", "error",
    ]  # fmt: skip
    assert document["columns"] == ["thefts"]
    assert document["attempts"][0]["error"]["sqlstate"] == "42703"
    assert document["attempts"][1]["error"] is None
    assert document["error"] is None
    assert document["tokens"] == {"in": 300, "out": 60}


def test_the_trace_names_every_node(asking):
    asked, _ = asking([BAD_COLUMN, GOOD, "Done."])
    nodes = [step.node for step in asked.trace]
    assert nodes == ["relevance", "schema", "generate", "validate", "generate", "validate", "run", "answer"]


def test_a_missing_key_stops_before_anything_runs(warehouse, published, home):
    from include.errors import UsageError

    with pytest.raises(UsageError, match="GROQ_API_KEY"):
        ask(QUESTION, arm=Arm(strategy="agent_1"), warehouse=warehouse, settings=keyless(home))
