"""Weekly maintenance: retention of snapshots and landing pages, and the freshness alert."""

from __future__ import annotations

from airflow.sdk import dag

from crime_dags.defaults import cron, dag_arguments
from crime_dags.maintenance_tasks import check_freshness, retain_landing, retain_snapshots


@dag(schedule=cron("0 5 * * 0"), **dag_arguments(__file__, tag="maintenance"))
def maintain_warehouse() -> None:
    """Three independent tasks."""
    retain_snapshots()
    retain_landing()
    check_freshness()


maintain_warehouse()
