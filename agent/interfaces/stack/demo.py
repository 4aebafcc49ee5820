"""The demo: the whole chain in Airflow on generated rows, ending in a summary.

The first run is a full load. Each later one finds the simulated source a week further and is an increment.
"""

import json
import time
from collections.abc import Callable

from agent.interfaces.stack.airflow_api import AirflowApi, DagRun
from agent.interfaces.stack.services import find_service, require_alive
from agent.interfaces.stack.simulator import start_demo_source
from agent.interfaces.stack.stack import StackInfo, run_dir, run_up
from agent.interfaces.stack.summary import DemoSummary, collect_summary
from include.errors import TerminalError
from include.settings import Settings

INGEST, BENCHMARK, REPORT = "ingest_chicago_crime", "benchmark_agent", "report_benchmark"
PARSE_PATIENCE = 180.0
RUN_PATIENCE = 1800.0
POLL = 2.0

Progress = Callable[[str], None]


def run_demo(rows: int, *, settings: Settings, progress: Progress) -> DemoSummary:
    """Run ingestion by trigger and benchmark and report by asset, and leave the stack running.

    The summary is also written to `demo/summary.json` under the home folder.

    Raises:
        TerminalError: a DAG run failed; the message names its failed tasks and the log folder.
    """
    started = time.monotonic()
    settings = settings.model_copy(update={"schedules": False})
    progress(f"starting a simulated source of {rows:,} rows")
    source = start_demo_source(rows, settings=settings)
    stack = run_up(settings, source_url=source.url, progress=progress)
    api = stack.airflow.api
    _wait_parsed(api, progress=progress)
    known = {dag_id: {run.run_id for run in api.dag_runs(dag_id)} for dag_id in (BENCHMARK, REPORT)}
    for dag_id in (INGEST, BENCHMARK, REPORT):
        api.unpause(dag_id)
    ingest = api.trigger(INGEST, conf={"mode": "auto"})
    runs = [_wait_run(ingest, stack=stack, settings=settings, progress=progress)]
    for dag_id in (BENCHMARK, REPORT):
        run = _wait_new_run(dag_id, known=known[dag_id], api=api)
        runs.append(_wait_run(run, stack=stack, settings=settings, progress=progress))
    summary = collect_summary(
        stack.warehouse,
        dag_runs={run.dag_id: run.run_id for run in runs},
        airflow_url=stack.airflow_url,
        passwords_file=stack.passwords_file,
        seconds=time.monotonic() - started,
    )
    target = settings.home / "demo" / "summary.json"
    target.write_text(json.dumps(summary.to_json(), indent=2) + "\n")
    return summary


def _wait_parsed(api: AirflowApi, *, progress: Progress) -> None:
    progress("waiting for the DAGs to be parsed")
    deadline = time.monotonic() + PARSE_PATIENCE
    while not {INGEST, BENCHMARK, REPORT} <= api.dag_ids():
        errors = api.import_errors()
        if errors:
            raise TerminalError("DAG files could not be imported:\n" + "\n".join(errors))
        if time.monotonic() > deadline:
            raise TerminalError(f"the DAGs were not parsed within {PARSE_PATIENCE:.0f} s")
        time.sleep(POLL)


def _wait_new_run(dag_id: str, *, known: set[str], api: AirflowApi) -> DagRun:
    deadline = time.monotonic() + PARSE_PATIENCE
    while True:
        for run in api.dag_runs(dag_id):
            if run.run_id not in known:
                return run
        if time.monotonic() > deadline:
            raise TerminalError(
                f"no run of {dag_id} followed within {PARSE_PATIENCE:.0f} s",
                expected="a run triggered by the asset of the run before",
            )
        time.sleep(POLL)


def _wait_run(run: DagRun, *, stack: StackInfo, settings: Settings, progress: Progress) -> DagRun:
    api, begun = stack.airflow.api, time.monotonic()
    told: set[tuple[str, str]] = set()
    while True:
        run = api.dag_run(run.dag_id, run.run_id)
        states = api.task_states(run.dag_id, run.run_id)
        for task, state in states:
            if state in ("success", "failed", "skipped", "up_for_retry") and (task, state) not in told:
                told.add((task, state))
                progress(f"{run.dag_id}: {task} {state}")
        if run.ended:
            break
        _check_patience(run, begun=begun, stack=stack, settings=settings)
        time.sleep(POLL)
    if run.state != "success":
        failed = ", ".join(task for task, state in states if state in ("failed", "upstream_failed"))
        raise TerminalError(
            f"{run.dag_id} failed in {failed or 'no named task'}",
            expected="a successful run",
            action=f"read the task logs under {stack.airflow.home}/logs or at {stack.airflow_url}",
        )
    return run


def _check_patience(run: DagRun, *, begun: float, stack: StackInfo, settings: Settings) -> None:
    service = find_service("airflow-scheduler", run_dir=run_dir(settings))
    if service is None:
        raise TerminalError("the scheduler ended by itself", action=f"read {stack.log_dir}/airflow-scheduler.log")
    require_alive(service)
    if time.monotonic() - begun > RUN_PATIENCE:
        raise TerminalError(f"{run.dag_id} did not end within {RUN_PATIENCE:.0f} s", action=f"see {stack.airflow_url}")
