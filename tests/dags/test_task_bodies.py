"""Task bodies, called as functions: what they hand to the library and what they say to Airflow."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

STORE = SimpleNamespace(name="the warehouse")


@pytest.fixture
def stages(monkeypatch):
    """Replace warehouse, source and stages of the ingestion; returns the calls that were made."""
    import include.ingest
    from crime_dags import ingest_tasks

    calls: list[tuple[str, tuple[Any, ...]]] = []
    results = {
        "request_from_params": {"mode": "full"},
        "begin_run": "run_1",
        "plan_run": [{"part": 1}, {"part": 2}],
        "land_range": {"rows": 5},
        "merge_run": {"inserted": 10},
        "reconcile_run": {"deleted": 0},
        "build_run": "snap_1",
        "check_run": {"passed": True},
        "publish_run": {"snapshot_id": "snap_1", "row_count": 10, "newest_incident": "2026-11-28"},
        "finish_run": {"status": "published"},
    }

    def fake(name):
        def call(*args, **kwargs):
            calls.append((name, args, kwargs))
            return results[name]

        return call

    for name in results:
        monkeypatch.setattr(include.ingest, name, fake(name))
    monkeypatch.setattr(ingest_tasks, "warehouse", lambda: STORE)
    monkeypatch.setattr(ingest_tasks, "source_settings", lambda url: ("settings", url))
    return SimpleNamespace(calls=calls, results=results)


@pytest.fixture
def ingest_context(context):
    context["params"] = {"mode": "auto", "since": None, "source": "http://source.test", "force": False}
    context["dag_run"] = SimpleNamespace(run_id="manual__1", run_type="manual")
    return context


def test_each_stage_calls_its_function_with_the_runs_source(stages, ingest_context):
    from crime_dags import ingest_tasks as tasks

    assert tasks.begin.function() == "run_1"
    name, args, kwargs = stages.calls[0]
    assert (name, args[0]["source"], kwargs["orchestrator"]) == (
        "request_from_params",
        "http://source.test",
        "airflow:manual__1",
    )
    assert tasks.plan.function("run_1") == [{"part": 1}, {"part": 2}]
    assert tasks.land.function("run_1", {"part": 1}) == {"rows": 5}
    assert tasks.merge.function("run_1", iter([{"rows": 5}, {"rows": 5}])) == {"inserted": 10, "ranges": 2}
    assert tasks.reconcile.function("run_1") == {"deleted": 0}
    assert tasks.check.function("run_1") == {"passed": True}
    assert tasks.finish.function("run_1") == {"status": "published"}
    for name, args, kwargs in stages.calls[1:]:
        assert args[0] is STORE, name
        assert kwargs["settings"] == ("settings", "http://source.test"), name


def test_build_skips_the_rest_when_nothing_changed(stages, ingest_context):
    from airflow.sdk.exceptions import AirflowSkipException

    from crime_dags import ingest_tasks as tasks

    assert tasks.build.function("run_1") == "snap_1"
    stages.results["build_run"] = None
    with pytest.raises(AirflowSkipException, match="nothing changed"):
        tasks.build.function("run_1")


def test_publish_tells_the_asset_what_was_published(stages, ingest_context):
    from crime_dags import ingest_tasks as tasks
    from crime_dags.defaults import CRIME_SNAPSHOT

    events = {CRIME_SNAPSHOT: SimpleNamespace(extra=None)}
    assert tasks.publish.function("run_1", outlet_events=events) == stages.results["publish_run"]
    assert events[CRIME_SNAPSHOT].extra == stages.results["publish_run"]


@dataclass(frozen=True)
class FakeRun:
    bench_id: str

    def to_json(self):
        return {"bench_id": self.bench_id}


@pytest.fixture
def benchmark(monkeypatch, context):
    from agent import benchmark as library
    from crime_dags import benchmark_tasks

    given = SimpleNamespace(batch=library.Batch(runs=(FakeRun("b/1"), FakeRun("b/2"))), asked=None, finished=None)
    context["params"] = {"arms": "keyless", "repeats": 2, "force": True}

    def plan_batch(store, **kwargs):
        given.asked = (store, kwargs)
        return given.batch

    def finish_batch(store, runs, *, settings):
        given.finished = runs
        return {"batch_id": "b"}

    monkeypatch.setattr(library, "plan_batch", plan_batch)
    monkeypatch.setattr(library, "finish_batch", finish_batch)
    monkeypatch.setattr(library, "run_arm", lambda store, run, *, settings: {"ran": run["bench_id"]})
    monkeypatch.setattr(benchmark_tasks, "warehouse", lambda: STORE)
    return given


def test_plan_of_the_benchmark_maps_one_task_a_run(benchmark):
    from crime_dags import benchmark_tasks as tasks

    assert tasks.plan.function() == [{"bench_id": "b/1"}, {"bench_id": "b/2"}]
    store, asked = benchmark.asked
    assert store is STORE
    assert {name: asked[name] for name in ("arms", "repeats", "force")} == {
        "arms": "keyless",
        "repeats": 2,
        "force": True,
    }
    assert tasks.run_arm.function({"bench_id": "b/1"}) == {"ran": "b/1"}


def test_plan_of_the_benchmark_skips_with_its_reason(benchmark):
    from airflow.sdk.exceptions import AirflowSkipException

    from agent.benchmark import Batch
    from crime_dags import benchmark_tasks as tasks

    benchmark.batch = Batch(runs=(), skip_reason="no snapshot is published: nothing to measure")
    with pytest.raises(AirflowSkipException, match="no snapshot is published"):
        tasks.plan.function()


@pytest.mark.parametrize("count", [1, 3])
def test_finish_takes_any_number_of_mapped_results(benchmark, count):
    from crime_dags import benchmark_tasks as tasks
    from crime_dags.defaults import BENCHMARK_RUN

    events = {BENCHMARK_RUN: SimpleNamespace(extra=None)}
    tasks.finish.function(iter([{"bench_id": f"b/{n}"} for n in range(count)]), outlet_events=events)
    assert len(benchmark.finished) == count
    assert events[BENCHMARK_RUN].extra == {"batch_id": "b"}


@pytest.mark.parametrize(
    ("run_type", "send", "due"),
    [
        ("scheduled", False, True),
        ("manual", True, True),
        ("manual", False, False),
        ("asset_triggered", False, False),
    ],
)
def test_report_is_delivered_by_the_monday_run_and_on_demand(monkeypatch, context, run_type, send, due):
    from airflow.sdk.exceptions import AirflowSkipException

    from agent import reports
    from crime_dags import benchmark_tasks as tasks

    sent: list[str] = []
    monkeypatch.setattr(tasks, "warehouse", lambda: STORE)
    monkeypatch.setattr(reports, "can_deliver", lambda settings: True)
    monkeypatch.setattr(reports, "deliver_report", lambda store, report_id, *, settings: sent.append(report_id))
    context["params"], context["dag_run"] = {"send": send}, SimpleNamespace(run_type=run_type)
    if due:
        tasks.deliver_report.function({"report_id": "report_1"})
    else:
        with pytest.raises(AirflowSkipException, match="not due"):
            tasks.deliver_report.function({"report_id": "report_1"})
    assert sent == (["report_1"] if due else [])


def test_a_due_report_without_a_way_of_delivery_is_only_built(monkeypatch, context):
    from airflow.sdk.exceptions import AirflowSkipException

    from crime_dags import benchmark_tasks as tasks

    monkeypatch.delenv("CRIME_SMTP_URL", raising=False)
    monkeypatch.delenv("CRIME_WEBHOOK_URL", raising=False)
    context["params"], context["dag_run"] = {"send": False}, SimpleNamespace(run_type="scheduled")
    with pytest.raises(AirflowSkipException, match="no way of delivery is set up"):
        tasks.deliver_report.function({"report_id": "report_1"})


def test_connections_of_airflow_become_the_warehouse_and_the_source(monkeypatch):
    import crime_connections as connections
    from psycopg.conninfo import conninfo_to_dict

    for name, login in (("WAREHOUSE", "crime_owner"), ("READER", "crime_reader")):
        monkeypatch.setenv(
            f"AIRFLOW_CONN_CHICAGO_{name}",
            f'{{"conn_type": "postgres", "host": "db.test", "port": 5433, "login": "{login}", "password": "p@/:",'
            ' "schema": "chicago_crime"}',
        )
    monkeypatch.setenv(
        "AIRFLOW_CONN_SOCRATA_CHICAGO", '{"conn_type": "http", "host": "https://source.test", "password": "token-1"}'
    )
    store = connections.warehouse()
    owner, reader = conninfo_to_dict(store.owner_url), conninfo_to_dict(store.reader_url)
    assert (owner["user"], reader["user"]) == ("crime_owner", "crime_reader")
    assert {owner[key] for key in ("host", "port", "password", "dbname")} == {
        "db.test",
        "5433",
        "p@/:",
        "chicago_crime",
    }
    settings = connections.source_settings(None)
    assert settings.source_url == "https://source.test"
    assert settings.app_token.get_secret_value() == "token-1"
    assert connections.source_settings("http://other.test").source_url == "http://other.test"
