"""One ingestion, all stages in one process."""

import logging
import time
from dataclasses import replace
from typing import Any

import psycopg

from include.errors import PlatformError
from include.ingest.begin import begin_on, finish_run
from include.ingest.check import check_run
from include.ingest.land import Progress, land_all
from include.ingest.merge import merge_run
from include.ingest.plan import plan_run
from include.ingest.publish import publish_run
from include.ingest.reconcile import reconcile_run
from include.ingest.request import IngestRequest, IngestResult
from include.ingest.snapshot import build_run
from include.settings import Settings
from include.source import served
from include.warehouse import Warehouse, load_sql, published_snapshot

log = logging.getLogger(__name__)


def run_ingest(
    warehouse: Warehouse, request: IngestRequest, *, settings: Settings, progress: Progress | None = None
) -> IngestResult:
    """Pull, merge, reconcile, build, check and publish.

    Args:
        warehouse: where.
        request: what; a file or a generator as its source is served while it lasts.
        settings: the settings.
        progress: called with a line of text now and then.

    Raises:
        RefusedError: when a gate or check said no, or another ingestion is running; nothing was published.
        TransientError: when the source or the warehouse kept failing.
        TerminalError: when it cannot work this way.
    """
    started = time.monotonic()
    with served(request.source, settings=settings) as source, warehouse.owner(autocommit=True) as keeper:
        # Held by `keeper` through all stages: between two of them the run is not dead.
        run_id = begin_on(keeper, replace(request, source=source), settings=settings)
        error: str | None = None
        try:
            _run_stages(warehouse, run_id, settings=settings, say=progress or log.info)
        except BaseException as caught:
            error = str(caught) or type(caught).__name__
            raise
        finally:
            outcome = _finish(warehouse, run_id, settings=settings, error=error)
    # Not by `keeper`: it may have been lost meanwhile, as when the server restarted.
    with warehouse.owner() as conn:
        return _result(conn, outcome, seconds=time.monotonic() - started)


def _run_stages(warehouse: Warehouse, run_id: str, *, settings: Settings, say: Progress) -> None:
    tasks = plan_run(warehouse, run_id, settings=settings)
    land_all(warehouse, run_id, tasks, settings=settings, progress=say)
    merged = merge_run(warehouse, run_id, settings=settings)
    kinds = ("inserted", "updated", "restamped", "unchanged", "rejected")
    say("merged: " + ", ".join(f"{merged[kind]:,} {kind}" for kind in kinds))
    reconciled = reconcile_run(warehouse, run_id, settings=settings)
    say(f"reconciled: {reconciled['deleted']:,} deleted, {reconciled['missed']:,} missed and pulled")
    snapshot_id = build_run(warehouse, run_id, settings=settings)
    if snapshot_id is None:
        say("nothing to publish")
        return
    say(f"built {snapshot_id}")
    checked = check_run(warehouse, run_id, settings=settings)
    say(f"checked: {checked['passed']} checks passed")
    published = publish_run(warehouse, run_id, settings=settings)
    say(f"published {published['snapshot_id']}: {published['row_count']:,} rows")


def _finish(warehouse: Warehouse, run_id: str, *, settings: Settings, error: str | None) -> dict[str, Any]:
    try:
        return finish_run(warehouse, run_id, settings=settings, error=error)
    except PlatformError as down:
        if error is None:
            raise
        # The first error is the one to report; the next run marks this one abandoned.
        log.error("the end of %s could not be recorded: %s", run_id, down)
        return {}


def _result(conn: psycopg.Connection, outcome: dict[str, Any], *, seconds: float) -> IngestResult:
    snapshot = published_snapshot(conn)
    ledger: dict[str, int] = {}
    if snapshot is not None:
        rows = conn.execute(load_sql("ingest/ledger_by_column.sql"), (snapshot.snapshot_id,))
        ledger = {column: int(cells) for column, cells in rows}
    names = ("rows_received", "inserted", "updated", "restamped", "unchanged", "rejected", "deleted")
    return IngestResult(
        run_id=outcome["run_id"],
        status=outcome["status"],
        snapshot_id=snapshot.snapshot_id if snapshot else None,
        **{name: outcome[name] for name in names},
        row_count=(snapshot.row_count or 0) if snapshot else 0,
        ledger=ledger,
        warnings=tuple(outcome["warnings"]),
        seconds=seconds,
    )
