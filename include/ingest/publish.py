"""Publishing the checked snapshot of a run."""

import logging
from typing import Any

from include.errors import UsageError
from include.ingest.runs import add_warnings, load_run, working
from include.settings import Settings
from include.warehouse import Warehouse, run_publish, run_retention

log = logging.getLogger(__name__)


def publish_run(warehouse: Warehouse, run_id: str, *, settings: Settings) -> dict[str, Any]:
    """Publish the run's snapshot, drop those that are due and return `snapshot_id`, `row_count`, `newest_incident`.

    Raises:
        UsageError: when the run has built no snapshot.
        SnapshotHeldError: when the locks were not to be had within `settings.publish_patience`.
    """
    with working(warehouse, run_id, stage="publish") as conn:
        run = load_run(conn, run_id)
        if run.snapshot_id is None:
            raise UsageError(f"run {run_id} has built no snapshot", action="build it first")
        snapshot = run_publish(warehouse, run.snapshot_id, patience=settings.publish_patience)
        log.info("%s: published %s, %d rows", run_id, snapshot.snapshot_id, snapshot.row_count)
        retention = run_retention(warehouse, keep=settings.snapshot_keep)
        add_warnings(conn, run_id, [f"{kept.snapshot_id} was due and stays: {kept.reason}" for kept in retention.kept])
    return {
        "snapshot_id": snapshot.snapshot_id,
        "row_count": snapshot.row_count,
        "newest_incident": snapshot.newest_incident.isoformat() if snapshot.newest_incident else None,
    }
