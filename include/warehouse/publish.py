"""Publication: the views of `public` are pointed at another snapshot, in one short transaction."""

import logging
import random
import time

import psycopg

from include.errors import RefusedError
from include.warehouse.connection import Warehouse
from include.warehouse.errors import SnapshotHeldError
from include.warehouse.snapshots import TABLE_NAMES, Snapshot, get_snapshot, list_snapshots, published_snapshot
from include.warehouse.sqlfiles import load_sql
from include.warehouse.views import point_views

logger = logging.getLogger(__name__)

PUBLISHABLE = ("candidate", "held", "superseded")
_LOCK = 7_403_103
_PAUSES = (0.3, 5.0)
"""Shortest and longest mean pause between two attempts, in seconds."""


def run_publish(warehouse: Warehouse, snapshot_id: str, *, patience: float) -> Snapshot:
    """Publish a snapshot: views, grants and state change together, or not at all.

    Each attempt waits at most 200 ms for its locks, so that analysts' queries hardly queue behind it. Nobody's
    session is ended. Publishing the published snapshot changes nothing.

    Args:
        warehouse: where.
        snapshot_id: a complete snapshot: a candidate, a held one, or one published before.
        patience: seconds to keep trying; 0 = one attempt.

    Raises:
        UsageError: when there is no such snapshot.
        RefusedError: when its state or its columns do not allow it.
        SnapshotHeldError: when the locks were not to be had; a candidate then has the state `held`.
    """
    deadline = time.monotonic() + patience
    pause = _PAUSES[0]
    while True:
        try:
            return _publish_once(warehouse, snapshot_id)
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            blockers = _blockers(warehouse)
            left = deadline - time.monotonic()
            if left <= 0:
                raise _hold(warehouse, snapshot_id, blockers, patience) from None
            logger.info("publication of %s waits for %s", snapshot_id, "; ".join(blockers.values()) or "a lock")
            time.sleep(min(left, pause * random.uniform(0.5, 1.5)))  # noqa: S311 -- jitter, no secret
            pause = min(pause * 1.5, _PAUSES[1])


def run_rollback(warehouse: Warehouse, *, patience: float = 30.0) -> Snapshot:
    """Publish the snapshot before the published one: the newest superseded one that was built earlier.

    Raises:
        RefusedError: when there is none.
        SnapshotHeldError: when the locks were not to be had; nothing has changed then.
    """
    with warehouse.owner() as conn:
        current = published_snapshot(conn)
        if current is None:
            raise RefusedError("no snapshot is published", action="load the data first: `crime ingest`")
        earlier = [
            snapshot
            for snapshot in list_snapshots(conn)
            if snapshot.state == "superseded" and snapshot.built_at < current.built_at
        ]
    if not earlier:
        raise RefusedError(
            f"there is no earlier snapshot to go back to from {current.snapshot_id}",
            action="see `crime snapshots list`; `crime snapshots publish ID` publishes any complete one",
        )
    return run_publish(warehouse, earlier[0].snapshot_id, patience=patience)


def _publish_once(warehouse: Warehouse, snapshot_id: str) -> Snapshot:
    with warehouse.owner() as conn:
        conn.execute("SET LOCAL lock_timeout = '200ms'")
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        snapshot = get_snapshot(conn, snapshot_id)
        if snapshot.state == "published":
            return snapshot
        _check_publishable(conn, snapshot)
        point_views(conn, snapshot_id)
        # In this order: no two snapshots are published at any time.
        conn.execute("UPDATE ops.snapshot SET state = 'superseded' WHERE state = 'published'")
        conn.execute(load_sql("ops/set_published.sql"), {"snapshot_id": snapshot_id})
        return get_snapshot(conn, snapshot_id)


def _check_publishable(conn: psycopg.Connection, snapshot: Snapshot) -> None:
    if snapshot.state not in PUBLISHABLE:
        raise RefusedError(
            f"snapshot {snapshot.snapshot_id} is {snapshot.state}",
            expected=f"one of {', '.join(PUBLISHABLE)}",
            action="see `crime snapshots list`",
        )
    present = {row[0] for row in conn.execute(load_sql("ops/schema_tables.sql"), {"schema": snapshot.snapshot_id})}
    if missing := [name for name in TABLE_NAMES if name not in present]:
        raise RefusedError(
            f"snapshot {snapshot.snapshot_id} lacks {', '.join(missing)}", action="build it anew: `crime ingest`"
        )


def _blockers(warehouse: Warehouse) -> dict[int, str]:
    """Return the sessions that hold a lock the publication needs: process id and a description."""
    with warehouse.owner() as conn:
        rows = conn.execute(
            load_sql("ops/publish_blockers.sql"), {"views": list(TABLE_NAMES), "lock": _LOCK}
        ).fetchall()
    return {
        pid: f"pid {pid} ({user}, {application or 'no name'}, {state}, transaction open for {seconds:.0f} s)"
        for pid, user, application, state, seconds in rows
    }


def _hold(warehouse: Warehouse, snapshot_id: str, blockers: dict[int, str], patience: float) -> SnapshotHeldError:
    who = "; ".join(blockers.values()) or "sessions that ended meanwhile"
    note = f"publication held after {patience:.0f} s: in the way were {who}"
    with warehouse.owner() as conn:
        conn.execute(
            "UPDATE ops.snapshot SET state = 'held', note = %s"
            " WHERE snapshot_id = %s AND state IN ('candidate', 'held')",
            (note, snapshot_id),
        )
    error = SnapshotHeldError(
        f"snapshot {snapshot_id} is not published: {note}",
        expected=f"the locks on {len(TABLE_NAMES)} views for an instant",
        action=f"let those sessions end, then run `crime snapshots publish {snapshot_id}`",
    )
    error.pids = tuple(blockers)
    return error
