"""Building the candidate snapshot of a run, unless nothing changed."""

import logging
from datetime import UTC, datetime

import psycopg

from include.ingest.build import run_build
from include.ingest.build_result import BuildResult, store_ledger
from include.ingest.build_tables import vacuum_snapshot
from include.ingest.rules import rules_digest
from include.ingest.runs import Run, add_warnings, load_run, update_run, working
from include.settings import Settings
from include.warehouse import Snapshot, Warehouse, load_sql, published_snapshot

log = logging.getLogger(__name__)


def build_run(warehouse: Warehouse, run_id: str, *, settings: Settings) -> str | None:
    """Build the snapshot of a run from `raw` and return its id; None when nothing is to be published.

    That is so when nothing changed since the published one, or the request says so.
    What changed is asked of `raw`, not of this run: an earlier run may have merged rows and failed before publishing.
    A repeated call returns the snapshot that the first one built.
    """
    del settings
    with working(warehouse, run_id, stage="build") as conn:
        run = load_run(conn, run_id)
        if run.snapshot_id is not None:
            return run.snapshot_id
        if not run.request.publish:
            log.info("%s: its rows are left for the next run to build and publish", run_id)
            return None
        published = published_snapshot(conn)
        if published is not None and not run.request.force and not _has_changed(conn, published):
            log.info("%s: nothing changed since %s", run_id, published.snapshot_id)
            return None
        snapshot_id = _register(conn, run, published)
        try:
            result = _build(warehouse, run, snapshot_id)
        except BaseException:
            if not conn.broken:
                conn.execute(load_sql("ingest/drop_record.sql"), {"snapshot_id": snapshot_id})
            raise
        # Only what is committed can be vacuumed; without it, no query reads an index alone until autovacuum has come.
        vacuum_snapshot(conn, snapshot_id)
        add_warnings(conn, run_id, list(result.warnings))
    log.info("%s: built %s, %d rows in %.1f s", run_id, snapshot_id, result.row_count, result.seconds)
    return snapshot_id


def _build(warehouse: Warehouse, run: Run, snapshot_id: str) -> BuildResult:
    """Build, and record what was built, in one transaction."""
    with warehouse.owner() as conn:
        result = run_build(conn, schema=snapshot_id, run_id=run.run_id)
        store_ledger(conn, snapshot_id, result.ledger)
        conn.execute(
            load_sql("ingest/set_candidate.sql"),
            {
                "snapshot_id": snapshot_id,
                "row_count": result.row_count,
                "newest_incident": result.newest_incident,
                "oldest_incident": result.oldest_incident,
                "newest_update": result.newest_update,
                "fingerprint": result.fingerprint,
                "rules": rules_digest(),
                "seconds": result.seconds,
            },
        )
        plan = run.plan | {"left_out": sum(result.rejected.values())}
        update_run(conn, run.run_id, snapshot_id=snapshot_id, plan=plan)
    return result


def _has_changed(conn: psycopg.Connection, published: Snapshot) -> bool:
    # Ids of runs rise with time.
    row = conn.execute(
        "SELECT EXISTS (SELECT FROM raw.crime WHERE last_run > %s)", (published.run_id or "",)
    ).fetchone()
    return row == (True,)


def _register(conn: psycopg.Connection, run: Run, published: Snapshot | None) -> str:
    """Insert the snapshot's row and return its id, the UTC time."""
    predecessor = published.snapshot_id if published and published.source_id == run.source_id else None
    stamp = f"snap_{datetime.now(UTC):%Y%m%dt%H%M%S}"
    for suffix in ("", *(f"_{number}" for number in range(2, 100))):
        cursor = conn.execute(
            load_sql("ingest/register_snapshot.sql"),
            {
                "snapshot_id": stamp + suffix,
                "source_id": run.source_id,
                "run_id": run.run_id,
                "predecessor_id": predecessor,
            },
        )
        if cursor.rowcount:
            return stamp + suffix
    raise AssertionError("a hundred snapshots within one second")
