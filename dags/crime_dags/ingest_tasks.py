"""Task bodies of `ingest_chicago_crime`: one stage of `include.ingest` each."""

from __future__ import annotations

from typing import Any

from airflow.sdk import get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from crime_connections import source_settings, warehouse

from crime_dags.defaults import CRIME_SNAPSHOT


def settings() -> Any:
    """Return the settings with the source this run pulls from."""
    return source_settings(get_current_context()["params"]["source"])


@task
def begin() -> str:
    """Register the run and return its id."""
    from include.ingest import begin_run, request_from_params

    context = get_current_context()
    request = request_from_params(
        context["params"], settings=settings(), orchestrator=f"airflow:{context['dag_run'].run_id}"
    )
    return begin_run(warehouse(), request, settings=settings())


@task
def plan(ingest_run: str) -> list[dict]:
    """Return the ranges to land."""
    from include.ingest import plan_run

    return plan_run(warehouse(), ingest_run, settings=settings())


@task(pool="socrata")
def land(ingest_run: str, part: dict) -> dict:
    """Land the pages of one range."""
    from include.ingest import land_range

    return land_range(warehouse(), ingest_run, part, settings=settings())


@task
def merge(ingest_run: str, landed: list[dict]) -> dict:
    """Merge the landed pages into raw; `landed` is what it waits for."""
    from include.ingest import merge_run

    return merge_run(warehouse(), ingest_run, settings=settings()) | {"ranges": len(list(landed))}


@task
def reconcile(ingest_run: str) -> dict:
    """Mark what the source no longer holds."""
    from include.ingest import reconcile_run

    return reconcile_run(warehouse(), ingest_run, settings=settings())


@task
def build(ingest_run: str) -> str:
    """Build the candidate snapshot; skip the rest when nothing is to be published."""
    from include.ingest import build_run

    snapshot_id = build_run(warehouse(), ingest_run, settings=settings())
    if snapshot_id is None:
        raise AirflowSkipException("nothing to publish: nothing changed, or the param publish is false")
    return snapshot_id


@task
def check(ingest_run: str) -> dict:
    """Evaluate the gates and the quality suite."""
    from include.ingest import check_run

    return check_run(warehouse(), ingest_run, settings=settings())


@task(outlets=[CRIME_SNAPSHOT])
def publish(ingest_run: str, *, outlet_events: Any = None) -> dict:
    """Publish the snapshot and say so by the asset."""
    from include.ingest import publish_run

    published = publish_run(warehouse(), ingest_run, settings=settings())
    outlet_events[CRIME_SNAPSHOT].extra = published
    return published


@task
def finish(ingest_run: str) -> dict:
    """Close the run's record whatever happened."""
    from include.ingest import finish_run

    return finish_run(warehouse(), ingest_run, settings=settings(), error=None)
