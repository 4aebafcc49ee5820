"""Task bodies of `maintain_warehouse`."""

from __future__ import annotations

from airflow.sdk import task
from crime_connections import warehouse

from include.settings import get_settings


@task
def retain_snapshots() -> dict:
    """Drop snapshots beyond the newest N."""
    from include.ingest import run_snapshot_retention

    return run_snapshot_retention(warehouse(), settings=get_settings())


@task
def retain_landing() -> dict:
    """Drop landing chains no kept snapshot can be rebuilt from."""
    from include.ingest import run_landing_retention

    return run_landing_retention(warehouse(), settings=get_settings())


@task
def check_freshness() -> dict:
    """Alert when the newest incident is too old."""
    from include.ingest import run_freshness_check

    return run_freshness_check(warehouse(), settings=get_settings())
