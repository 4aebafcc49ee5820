"""The benchmark: every arm and repeat of the arm set on the published snapshot, nightly and on each fresh snapshot."""

from __future__ import annotations

from airflow.sdk import Param, dag

from crime_dags.benchmark_tasks import finish, plan, run_arm
from crime_dags.defaults import CRIME_SNAPSHOT, cron_or_asset, dag_arguments

PARAMS = {
    "arms": Param(None, type=["null", "string"], description="Arm set of arms.yaml; none: the one of the settings"),
    "repeats": Param(None, type=["null", "integer"], minimum=1, maximum=20, description="None: the arm set's own"),
    "force": Param(False, type="boolean", description="Run although nothing changed"),
}


@dag(schedule=cron_or_asset("30 3 * * *", CRIME_SNAPSHOT), params=PARAMS, **dag_arguments(__file__, tag="benchmark"))
def benchmark_agent() -> None:
    """Plan the runs, one mapped task a run, then the figures of the batch."""
    finish(run_arm.expand(run=plan()))


benchmark_agent()
