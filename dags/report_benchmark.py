"""The report: built after each benchmark run, delivered on Mondays, also when no run happened."""

from __future__ import annotations

from airflow.sdk import Param, dag

from crime_dags.benchmark_tasks import build_report, deliver_report
from crime_dags.defaults import BENCHMARK_RUN, cron_or_asset, dag_arguments

PARAMS = {"send": Param(False, type="boolean", description="Deliver now")}


@dag(schedule=cron_or_asset("0 9 * * 1", BENCHMARK_RUN), params=PARAMS, **dag_arguments(__file__, tag="report"))
def report_benchmark() -> None:
    """Build the page, then deliver it when it is due."""
    deliver_report(build_report())


report_benchmark()
