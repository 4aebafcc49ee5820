"""What every DAG of the platform shares: default arguments, retry policy, assets and schedules."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.sdk import Asset, AssetOrTimeSchedule, CronTriggerTimetable, ExceptionRetryPolicy, RetryAction, RetryRule

from include.errors import TerminalError, TransientError
from include.settings import get_settings

TIMEZONE = "America/Chicago"
CRIME_SNAPSHOT = Asset(name="crime_snapshot", uri="crime://chicago/snapshot")
BENCHMARK_RUN = Asset(name="benchmark_run", uri="crime://chicago/benchmark_run")

RETRY_POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(exception=TransientError, action=RetryAction.RETRY, retry_delay=timedelta(seconds=30)),
        RetryRule(exception=TerminalError, action=RetryAction.FAIL, reason="does not pass by itself"),
    ]
)


def dag_arguments(dag_file: str, *, tag: str) -> dict[str, Any]:
    """Return the arguments all DAGs share; the documentation is the Markdown file beside the DAG file."""
    return {
        "catchup": False,
        "max_active_runs": 1,
        "dagrun_timeout": timedelta(hours=12),
        "doc_md": Path(dag_file).with_suffix(".md").read_text(),
        "tags": ["crime", tag],
        "default_args": {
            "owner": "data-platform",
            "retries": 2,
            "retry_delay": timedelta(minutes=1),
            "retry_policy": RETRY_POLICY,
            "execution_timeout": timedelta(hours=6),
        },
    }


def cron(expression: str) -> CronTriggerTimetable | None:
    """Return the timetable, or None where `CRIME_SCHEDULES=false` leaves runs to triggers and assets (the demo)."""
    return CronTriggerTimetable(expression, timezone=TIMEZONE) if get_settings().schedules else None


def cron_or_asset(expression: str, asset: Asset) -> AssetOrTimeSchedule | list[Asset]:
    """Return a schedule of the asset's events and, unless schedules are off, of the clock."""
    timetable = cron(expression)
    return AssetOrTimeSchedule(timetable=timetable, assets=[asset]) if timetable else [asset]
