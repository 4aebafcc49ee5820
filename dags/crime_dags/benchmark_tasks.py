"""Task bodies of `benchmark_agent` and `report_benchmark`."""

from __future__ import annotations

from typing import Any

from airflow.sdk import get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from crime_connections import warehouse

from crime_dags.defaults import BENCHMARK_RUN
from include.settings import get_settings


@task
def plan() -> list[dict]:
    """Return the runs of this batch, or skip with the reason why there is none."""
    from agent.benchmark import plan_batch

    params = get_current_context()["params"]
    batch = plan_batch(
        warehouse(),
        arms=params["arms"],
        repeats=params["repeats"],
        force=params["force"],
        settings=get_settings(),
    )
    if batch.skip_reason:
        raise AirflowSkipException(batch.skip_reason)
    return [run.to_json() for run in batch.runs]


@task(max_active_tis_per_dagrun=2)
def run_arm(run: dict) -> dict:
    """Run one arm and repeat over the questions."""
    from agent import benchmark

    return benchmark.run_arm(warehouse(), run, settings=get_settings())


@task(outlets=[BENCHMARK_RUN])
def finish(runs: list[dict], *, outlet_events: Any = None) -> dict:
    """Close the batch and say so by the asset."""
    from agent.benchmark import finish_batch

    summary = finish_batch(warehouse(), list(runs), settings=get_settings())
    outlet_events[BENCHMARK_RUN].extra = summary
    return summary


@task
def build_report() -> dict:
    """Build the page and its JSON."""
    from agent import reports

    settings = get_settings()
    return reports.build_report(warehouse(), settings=settings, out_dir=settings.report_dir).to_json()


@task
def deliver_report(report: dict) -> str:
    """Deliver the report when it is due: on the Monday run and on `send`."""
    from agent import reports

    context = get_current_context()
    if not (context["params"]["send"] or context["dag_run"].run_type == "scheduled"):
        raise AirflowSkipException("not due: delivered by the Monday run, or with the param `send`")
    settings = get_settings()
    if not reports.can_deliver(settings):
        raise AirflowSkipException(
            "no way of delivery is set up (CRIME_SMTP_URL with CRIME_MAIL_TO, or CRIME_WEBHOOK_URL)"
        )
    return reports.deliver_report(warehouse(), report["report_id"], settings=settings)
