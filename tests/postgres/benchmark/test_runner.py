"""A whole benchmark on a small snapshot: figures, golds, variants, provenance, resuming, outages."""

from dataclasses import replace
from functools import partial

import pytest
import yaml

from agent.arms import Arm
from agent.benchmark import BenchRequest, batch, plan_batch, run_arm, run_benchmark, runner
from agent.benchmark.metrics import arm_metrics
from agent.benchmark.store import finish_run, load_answers, start_run
from agent.prompts import load_prompt
from include.errors import PlatformError, RefusedError, TerminalError
from include.ingest import ensure_variants, run_build
from include.settings import PROJECT_ROOT
from include.warehouse import get_snapshot
from tests.postgres.agent.conftest import keyless, scripted
from tests.support.openai_server import Said, serve_model

pytestmark = pytest.mark.postgres

SNAPSHOT = "snap_20200101t000000"
RAW_ROWS = PROJECT_ROOT / "tests" / "fixtures" / "agent" / "raw_rows.sql"
VARIANT_ROWS = 3_000

COUNT_2018 = 'SELECT COUNT(*) AS crimes FROM crime_incidents WHERE "YEAR" = 2018'
QUESTIONS = [
    {
        "id": 1,
        "tier": "easy",
        "question": "How many thefts were there in 2017?",
        "gold": ['SELECT COUNT(*) FROM crime_incidents WHERE "CRIME_TYPE" = \'THEFT\' AND "YEAR" = 2017'],
    },
    {"id": 2, "tier": "easy", "question": "How many crimes were there in 2018?", "gold": [COUNT_2018]},
    # Right here because every id is below 5,000; on the variants none is.
    {"id": 3, "tier": "medium", "question": "Number of crimes in 2018", "gold": [f'{COUNT_2018} AND "ID" < 5000']},
    # Empty on the snapshot and on every variant.
    {
        "id": 4,
        "tier": "medium",
        "question": "Which districts (by name) had more than 900000 crimes in 2018?",
        "gold": [
            "SELECT d.district_name FROM crime_incidents AS c JOIN district_names AS d"
            ' ON c."DISTRICT" = d.district_id WHERE c."YEAR" = 2018 GROUP BY 1 HAVING COUNT(*) > 900000'
        ],
    },
    {"id": 5, "tier": "hard", "question": "What is the weather like in Paris?", "gold": ["SELECT 1 AS sun"]},
    {"id": 6, "tier": "hard", "question": "How many robberies were there in 2018?", "gold": ["SELECT -1 AS robberies"]},
    {
        "id": 7,
        "tier": "easy",
        "question": "How many assaults were there?",
        "gold": ["SELECT COUNT(*) FROM crime_incidents WHERE \"CRIME_TYPE\" = 'ASSAULT'"],
        "reserved": True,
    },
]
OUTCOMES = {1: "correct", 2: "correct", 3: "correct", 4: "undetermined", 5: "no_query", 6: "wrong"}


@pytest.fixture(scope="module")
def snapshot(warehouse):
    with warehouse.owner() as conn:
        conn.execute(RAW_ROWS.read_text())
        built = run_build(conn, schema=SNAPSHOT)
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, row_count, newest_incident, fingerprint, published_at)"
            " VALUES (%s, 'published', %s, %s, %s, now())",
            (SNAPSHOT, built.row_count, built.newest_incident, built.fingerprint),
        )
        return get_snapshot(conn, SNAPSHOT)


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    path = tmp_path_factory.mktemp("questions") / "questions.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "name": "seven", "questions": QUESTIONS}))
    return path


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return str(tmp_path_factory.mktemp("home"))


@pytest.fixture(autouse=True)
def small_variants(monkeypatch):
    monkeypatch.setattr(runner, "ensure_variants", partial(ensure_variants, rows=VARIANT_ROWS))


@pytest.fixture
def settings(home):
    return keyless(home, git_sha="a" * 40)


@pytest.fixture
def request_of(questions):
    def make(*arms, repeats=1):
        return BenchRequest(arms or (Arm(strategy="semantic"),), repeats, SNAPSHOT, questions)

    return make


@pytest.fixture
def planned(snapshot, settings, request_of):
    (run,) = batch.plan_runs(request_of(), snapshot=snapshot, settings=settings)
    return run.to_json()


def rows_of(warehouse, sql, *values):
    with warehouse.owner() as conn:
        return conn.execute(sql, values).fetchall()


def test_figures_of_the_strategy_without_a_model(warehouse, snapshot, settings, request_of):
    report = run_benchmark(warehouse, request_of(repeats=2), settings=settings).to_json()
    assert (report["snapshot_id"], len(report["questions"])) == (SNAPSHOT, 12)
    assert {(row["id"], row["repeat"]): row["outcome"] for row in report["questions"]} == {
        (number, repeat): outcome for number, outcome in OUTCOMES.items() for repeat in (1, 2)
    }
    (arm,) = report["arms"]
    assert (arm["name"], arm["strategy"], arm["model"], arm["repeats"], arm["scored"]) == (
        "semantic",
        "semantic",
        None,
        2,
        6,
    )
    # Five of six ran; of the five that have an answer three are right, one of these by accident of the data.
    figures = {name: arm[name] for name in ("vsr", "ex_default", "ex_lenient", "ex_robust", "em", "ex", "sq")}
    assert figures == {
        "vsr": pytest.approx(5 / 6),
        "ex_default": pytest.approx(3 / 5),
        "ex_lenient": pytest.approx(3 / 5),
        "ex_robust": pytest.approx(2 / 5),
        "em": pytest.approx(3 / 5),
        "ex": None,
        "sq": None,
    }
    assert arm["sd"]["ex_default"] == 0
    assert arm["intervals"]["ex_default"]["low"] < 0.6 < arm["intervals"]["ex_default"]["high"]
    assert arm["false_rejects"] == pytest.approx(1 / 6)
    assert arm["tokens"] == {"in": 0, "out": 0}
    assert {tier: figures["ex_default"] for tier, figures in arm["by_tier"].items()} == {
        "easy": 1.0,
        "medium": 1.0,
        "hard": 0.0,
    }
    for bench_id, status, metrics in rows_of(warehouse, "SELECT bench_id, status, metrics FROM ops.benchmark_run"):
        assert status == "finished"
        assert arm_metrics(load_answers(warehouse, bench_id))["ex_default"] == metrics["ex_default"]


def test_golds_are_computed_once_and_stored(warehouse, snapshot, settings, request_of):
    run_benchmark(warehouse, request_of(), settings=settings)
    stored = rows_of(
        warehouse, "SELECT snapshot_id, count(*), count(DISTINCT digest) FROM ops.gold_result GROUP BY 1 ORDER BY 1"
    )
    assert len(stored) == 3
    assert {count for _, count, _ in stored} == {7}
    executed = "SELECT count(*) FROM ops.query_audit WHERE node = 'gold'"
    before = rows_of(warehouse, executed)
    run_benchmark(warehouse, request_of(), settings=settings)
    assert rows_of(warehouse, executed) == before
    (expected,) = rows_of(warehouse, f'SELECT count(*) FROM {SNAPSHOT}.crime_incidents WHERE "YEAR" = 2018')
    stored_2 = "SELECT result -> 'result' ->> 'rows' FROM ops.gold_result WHERE snapshot_id = %s AND question_id = 2"
    (gold,) = rows_of(warehouse, stored_2, SNAPSHOT)
    assert str(expected[0]) in gold[0]


@pytest.mark.parametrize(
    ("changed", "says"),
    [({"fingerprint": "another"}, "fingerprint"), ({"question_set": "0" * 64}, "question file")],
)
def test_a_run_planned_for_other_contents_is_refused(warehouse, settings, planned, changed, says):
    with pytest.raises(RefusedError, match=says) as refused:
        run_arm(warehouse, planned | changed, settings=settings)
    assert refused.value.action == "plan the benchmark again"
    assert rows_of(warehouse, "SELECT FROM ops.benchmark_run WHERE bench_id = %s", planned["bench_id"]) == []


def test_an_unknown_snapshot_is_refused_before_anything_is_recorded(warehouse, settings, request_of):
    before = rows_of(warehouse, "SELECT count(*) FROM ops.benchmark_run")
    with pytest.raises(PlatformError, match="snap_none"):
        run_benchmark(warehouse, replace(request_of(), snapshot_id="snap_none"), settings=settings)
    assert rows_of(warehouse, "SELECT count(*) FROM ops.benchmark_run") == before


def test_a_run_that_was_cut_short_goes_on_where_it_stopped(monkeypatch, warehouse, home, planned):
    settings = keyless(home, git_sha="a" * 40, bench_parallel=1)
    asked: list[int] = []
    answer = runner.run_question

    def breaking(question, *, bench):
        asked.append(question.id)
        if len(asked) == 3:
            raise TerminalError("the machine went down")
        return answer(question, bench=bench)

    monkeypatch.setattr(runner, "run_question", breaking)
    with pytest.raises(TerminalError, match="the machine went down"):
        run_arm(warehouse, planned, settings=settings)
    status = "SELECT status, error ->> 'message' FROM ops.benchmark_run WHERE bench_id = %s"
    assert rows_of(warehouse, status, planned["bench_id"]) == [("failed", "the machine went down")]
    kept = {found.question_id for found in load_answers(warehouse, planned["bench_id"])}
    assert len(kept) == 2

    first, asked[:] = list(asked), [0, 0, 0]
    result = run_arm(warehouse, planned, settings=settings)
    assert sorted(asked[3:]) == sorted(set(OUTCOMES) - kept)
    assert set(first[:2]) == kept
    assert rows_of(warehouse, status, planned["bench_id"]) == [("finished", None)]
    assert result["metrics"]["scored"] == 6
    outcomes = {found.question_id: found.outcome for found in load_answers(warehouse, planned["bench_id"])}
    assert outcomes == OUTCOMES


def script(request):
    """Right SQL for every question but the second, for which the provider is down."""
    if request.system == load_prompt("answer.md"):
        return "See the rows."
    if QUESTIONS[1]["question"] in request.user:
        return Said(status=503, error="overloaded")
    for item in QUESTIONS:
        if item["question"] in request.user:
            return f"```sql\n{item['gold'][0]}\n```"
    return "No idea."


def test_an_outage_of_the_provider_is_no_wrong_answer(warehouse, snapshot, home, request_of):
    arm = Arm(strategy="agent_1", stage=2, model="openai:scripted")
    with serve_model(script) as server:
        settings = scripted(server, home)
        report = run_benchmark(warehouse, request_of(arm), settings=settings).to_json()
    outcomes = {row["id"]: row["outcome"] for row in report["questions"]}
    assert outcomes == {n: "correct" for n in (1, 3, 5, 6)} | {2: "infrastructure", 4: "undetermined"}
    (figures,) = report["arms"]
    assert figures["model"] == "openai:scripted"
    assert figures["outcomes"]["infrastructure"] == 1
    # Neither the outage nor the question without an answer counts: four of four.
    assert figures["ex_default"] == 1.0
    assert figures["vsr"] == 1.0
    assert figures["tokens"]["in"] > 0
    down = next(row for row in report["questions"] if row["id"] == 2)
    assert "503" in str(down["error"]) or "overloaded" in str(down["error"])


def test_an_outage_is_asked_again_when_the_run_is_resumed(warehouse, snapshot, home, questions, request_of):
    arm = Arm(strategy="agent_1", stage=2, model="openai:scripted")
    with serve_model(script) as server:
        settings = scripted(server, home)
        (run,) = batch.plan_runs(request_of(arm), snapshot=snapshot, settings=settings)
        run_arm(warehouse, run.to_json(), settings=settings)
    with serve_model(lambda request: f"```sql\n{COUNT_2018}\n```") as server:
        result = run_arm(warehouse, run.to_json(), settings=scripted(server, home))
        assert {QUESTIONS[1]["question"] in request.user for request in server.requests[:1]} == {True}
        assert len(server.requests) == 2
    assert result["metrics"]["outcomes"] == {"correct": 5, "undetermined": 1}


def test_nightly_plan_skips_without_a_snapshot(new_warehouse, home):
    planned = plan_batch(new_warehouse, arms="keyless", repeats=None, force=True, settings=keyless(home))
    assert planned.runs == ()
    assert "no snapshot is published" in planned.skip_reason


def test_nightly_plan_skips_when_nothing_changed(warehouse, snapshot, home):
    settings = keyless(home, git_sha="b" * 40)

    def plan(settings=settings, **fields):
        return plan_batch(warehouse, **({"arms": None, "repeats": None, "force": False} | fields), settings=settings)

    (run,) = plan().runs
    assert (run.arm, run.snapshot_id, run.fingerprint) == ("semantic", SNAPSHOT, snapshot.fingerprint)
    start_run(warehouse, run)
    assert plan().runs
    finish_run(warehouse, run.bench_id, metrics={"ex_default": 1.0}, error=None)
    assert plan().runs == ()
    assert "those of the last run" in plan().skip_reason
    assert len(plan(force=True).runs) == 1
    assert len(plan(repeats=2).runs) == 2
    assert len(plan(keyless(home, git_sha="c" * 40)).runs) == 1
    assert len(plan(keyless(home, git_sha="b" * 40 + "-dirty")).runs) == 1
