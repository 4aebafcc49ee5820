"""The weekly ingestion: pull, merge, reconcile, build, check and publish a snapshot."""

from __future__ import annotations

from airflow.sdk import Param, chain, dag

from crime_dags.defaults import cron, dag_arguments
from crime_dags.ingest_tasks import begin, build, check, finish, land, merge, plan, publish, reconcile

PARAMS = {
    "mode": Param("auto", enum=["auto", "full", "incremental"], description="auto: full when nothing is loaded yet"),
    "since": Param(
        None,
        type=["null", "string"],
        format="date-time",
        pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:",  # the format alone only chooses the picker: nothing checks it
        description="Take the increment from here on",
    ),
    "until": Param(None, type=["null", "string"], format="date-time", description="Take it up to here; needs since"),
    "year": Param(None, type=["null", "integer"], minimum=2001, description="Pull the incidents of this year again"),
    "publish": Param(True, type="boolean", description="False: only merge; a later run builds and publishes"),
    "source": Param(None, type=["null", "string"], description="Base URL instead of the connection's"),
    "force": Param(False, type="boolean", description="Publish although the row count shrank"),
    "replace_source": Param(False, type="boolean", description="Empty raw: another source takes its place"),
}


@dag(schedule=cron("0 6 * * 1"), params=PARAMS, **dag_arguments(__file__, tag="ingest"))
def ingest_chicago_crime() -> None:
    """Wire the stages; `finish` is the teardown that closes the run's record whatever happened."""
    ingest_run = begin()
    landed = land.partial(ingest_run=ingest_run).expand(part=plan(ingest_run))
    chain(
        merge(ingest_run, landed),
        reconcile(ingest_run),
        build(ingest_run),
        check(ingest_run),
        publish(ingest_run),
        finish(ingest_run).as_teardown(setups=ingest_run),
    )


ingest_chicago_crime()
