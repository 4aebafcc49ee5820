"""What every DAG promises: an owner, documentation, limits, retries that know what passes by itself."""

from datetime import timedelta

import pytest

DAG_IDS = ("benchmark_agent", "ingest_chicago_crime", "maintain_warehouse", "report_benchmark")
SECTIONS = ("**Purpose**", "**Inputs**", "**Outputs**", "**When it fails**")
KNOWN_TAGS = {"crime", "ingest", "benchmark", "report", "maintenance"}

TASKS = {
    "ingest_chicago_crime": {
        "begin": {"plan", "land", "merge", "reconcile", "build", "check", "publish", "finish"},
        "plan": {"land"},
        "land": {"merge"},
        "merge": {"reconcile"},
        "reconcile": {"build"},
        "build": {"check"},
        "check": {"publish"},
        "publish": {"finish"},
        "finish": set(),
    },
    "benchmark_agent": {"plan": {"run_arm"}, "run_arm": {"finish"}, "finish": set()},
    "report_benchmark": {"build_report": {"deliver_report"}, "deliver_report": set()},
    "maintain_warehouse": {"retain_snapshots": set(), "retain_landing": set(), "check_freshness": set()},
}


@pytest.fixture(params=DAG_IDS)
def dag(request, bag):
    return bag.dags[request.param]


def test_the_folder_holds_these_dags_and_imports_without_error(bag):
    assert bag.import_errors == {}
    assert sorted(bag.dags) == sorted(DAG_IDS)


def test_dag_says_who_owns_it_and_what_it_does(dag):
    assert dag.owner == "data-platform"
    assert dag.tags <= KNOWN_TAGS
    assert len(dag.tags) >= 2
    positions = [dag.doc_md.find(section) for section in SECTIONS]
    assert positions == sorted(positions)
    assert -1 not in positions


def test_dag_is_bounded(dag):
    assert dag.max_active_runs == 1
    assert dag.catchup is False
    assert timedelta(0) < dag.dagrun_timeout <= timedelta(hours=24)
    for task in dag.tasks:
        assert timedelta(0) < task.execution_timeout <= dag.dagrun_timeout, task.task_id


def test_every_task_retries_by_policy(dag):
    for task in dag.tasks:
        assert task.retries >= 1, task.task_id
        assert task.retry_policy is not None, task.task_id


def test_wiring(dag):
    assert {task.task_id: set(task.downstream_task_ids) for task in dag.tasks} == TASKS[dag.dag_id]


def test_the_run_is_closed_whatever_happened(bag):
    finish = bag.dags["ingest_chicago_crime"].get_task("finish")
    assert finish.is_teardown
    assert not finish.on_failure_fail_dagrun


def test_landing_shares_the_pool_of_the_source(bag):
    assert bag.dags["ingest_chicago_crime"].get_task("land").pool == "socrata"


def test_assets_link_the_chain(bag):
    outlets = {
        task.task_id: [asset.name for asset in task.outlets]
        for dag_id in ("ingest_chicago_crime", "benchmark_agent")
        for task in bag.dags[dag_id].tasks
        if task.outlets
    }
    assert outlets == {"publish": ["crime_snapshot"], "finish": ["benchmark_run"]}


@pytest.mark.parametrize(
    ("params", "fine"),
    [
        ({"mode": "auto"}, True),
        ({"mode": "full", "force": True, "since": "2026-01-01T00:00:00+00:00"}, True),
        ({"mode": "everything"}, False),
        ({"since": "yesterday"}, False),
        ({"force": "please"}, False),
        ({"source": 5}, False),
    ],
)
def test_params_of_the_ingestion_are_checked_when_a_run_is_triggered(bag, params, fine):
    from airflow.sdk.exceptions import ParamValidationError

    declared = bag.dags["ingest_chicago_crime"].params
    checks = {name: declared.get_param(name) for name in params}
    if fine:
        assert {name: checks[name].resolve(value) for name, value in params.items()} == params
    else:
        with pytest.raises(ParamValidationError):
            [checks[name].resolve(value) for name, value in params.items()]


def test_policy_retries_what_passes_and_fails_what_does_not():
    from airflow.sdk import RetryAction

    from crime_dags.defaults import RETRY_POLICY
    from include.errors import RefusedError, TerminalError, TransientError, UsageError

    class ThrottledError(TransientError):
        pass

    cases = {
        TransientError("the server restarts"): RetryAction.RETRY,
        ThrottledError("429"): RetryAction.RETRY,
        TerminalError("drift"): RetryAction.FAIL,
        UsageError("no such source"): RetryAction.FAIL,
        RefusedError("a gate said no"): RetryAction.FAIL,
        OSError("something of the machine"): RetryAction.DEFAULT,
    }
    decided = {error: RETRY_POLICY.evaluate(error, 1, 2) for error in cases}
    assert {error: decision.action for error, decision in decided.items()} == cases
    assert all(d.retry_delay for d in decided.values() if d.action is RetryAction.RETRY)


def test_policy_survives_the_way_to_the_worker():
    from airflow.sdk import ExceptionRetryPolicy, RetryAction

    from crime_dags.defaults import RETRY_POLICY
    from include.errors import RefusedError

    there = ExceptionRetryPolicy.deserialize(RETRY_POLICY.serialize())
    assert there.evaluate(RefusedError("a gate said no"), 1, 2).action is RetryAction.FAIL
