"""What `ask` refuses before it starts, and the snapshot it pins."""

import sys

import psycopg
import pytest

from agent.arms import Arm
from agent.ask import ask
from include.errors import RefusedError, TerminalError, UsageError
from include.warehouse import Warehouse, WarehouseDownError
from tests.postgres.agent.conftest import keyless, scripted
from tests.support.openai_server import serve_model

pytestmark = pytest.mark.postgres

AGENT_1 = Arm(strategy="agent_1", model="openai:scripted")
GOOD = "SELECT COUNT(*) AS n FROM crime_incidents"


@pytest.mark.parametrize(
    ("question", "text"), [("", "empty"), ("   ", "empty"), ("\n\t\0", "empty"), ("why? " * 500, "2,499 characters")]
)
def test_a_question_that_is_none(warehouse, published, home, question, text):
    with pytest.raises(UsageError, match=text):
        ask(question, arm=Arm(strategy="semantic"), warehouse=warehouse, settings=keyless(home))


@pytest.mark.parametrize(
    ("arm", "text"),
    [
        (Arm(strategy="agent_9"), "unknown strategy"),
        (Arm(strategy="agent_1", stage=9), "unknown prompt stage"),
        (Arm(strategy="agent_1", model="x:y"), "unknown model"),
        (Arm(strategy="agent_2"), "GROQ_API_KEY"),
        (Arm(strategy="agent_2", model="anthropic:claude"), "ANTHROPIC_API_KEY"),
    ],
)
def test_an_arm_that_cannot_be(warehouse, published, home, arm, text):
    with pytest.raises(UsageError, match=text):
        ask("How many?", arm=arm, warehouse=warehouse, settings=keyless(home))


def test_an_unknown_snapshot(warehouse, published, home):
    with serve_model([GOOD]) as server, pytest.raises(UsageError, match="snap_nowhere"):
        ask(
            "How many?",
            arm=AGENT_1,
            warehouse=warehouse,
            settings=scripted(server, home),
            snapshot_id="snap_nowhere",
        )


def test_no_published_snapshot(new_warehouse, home):
    with serve_model([GOOD]) as server, pytest.raises(RefusedError):
        ask("How many?", arm=AGENT_1, warehouse=new_warehouse, settings=scripted(server, home))


def test_a_dead_database(home):
    dead = "postgresql://crime_reader:x@127.0.0.1:9/none"
    with serve_model([GOOD]) as server, pytest.raises((WarehouseDownError, TerminalError)) as raised:
        ask("How many?", arm=AGENT_1, warehouse=Warehouse(dead, dead), settings=scripted(server, home))
    assert raised.value.exit_code == 1
    assert "127.0.0.1:9" in raised.value.seen


def test_a_failure_of_our_own_query_is_infrastructure(warehouse, published, home, monkeypatch):
    def cancelled(*_: object) -> str:
        raise psycopg.errors.QueryCanceled("canceling statement due to statement timeout")

    monkeypatch.setattr(sys.modules["agent.nodes.schema"], "describe_schema", cancelled)
    with serve_model([GOOD]) as server:
        asked = ask("How many?", arm=AGENT_1, warehouse=warehouse, settings=scripted(server, home))
    assert (asked.outcome, asked.error.sqlstate) == ("infrastructure", "57014")
    assert "statement timeout" in asked.answer


def test_the_named_snapshot_is_asked_and_audited(warehouse, published, home):
    with serve_model([GOOD, "There are 4,000 incidents."]) as server:
        asked = ask(
            "How  many\nincidents are there?",
            arm=AGENT_1,
            warehouse=warehouse,
            settings=scripted(server, home),
            snapshot_id=published,
            interface="web",
        )
    assert (asked.question, asked.rows, asked.snapshot_id) == ("How many incidents are there?", ((4000,),), published)
    assert asked.relevance is None
    with warehouse.owner() as conn:
        audited = conn.execute(
            "SELECT interface, node, question, snapshot_id, verdict FROM ops.query_audit ORDER BY audit_id DESC LIMIT 1"
        ).fetchone()
    assert audited == ("web", "run", asked.question, published, "executed")
