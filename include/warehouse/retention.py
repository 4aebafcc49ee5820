"""Retention: old snapshots are dropped, without CASCADE and never under somebody's feet."""

from collections.abc import Collection
from dataclasses import dataclass

import psycopg
from psycopg import sql

from include.errors import UsageError
from include.warehouse.connection import Warehouse
from include.warehouse.snapshots import Snapshot, list_snapshots
from include.warehouse.sqlfiles import load_sql

_LEFTOVER = ("building", "candidate", "held", "refused")


@dataclass(frozen=True)
class KeptSnapshot:
    """A snapshot that was due, but stays, and why."""

    snapshot_id: str
    reason: str


@dataclass(frozen=True)
class RetentionResult:
    """What one retention did. `kept` names only those that were due."""

    dropped: tuple[str, ...]
    kept: tuple[KeptSnapshot, ...]


def run_retention(warehouse: Warehouse, *, keep: int) -> RetentionResult:
    """Drop the snapshots that are due; one that is still referenced or in use stays and is reported.

    Args:
        warehouse: where.
        keep: number of published and superseded snapshots to keep, the newest ones; at least 1.

    Raises:
        UsageError: when `keep` is less than 1.
    """
    if keep < 1:
        raise UsageError(f"{keep} snapshots to keep", expected="at least 1: the published one")
    with warehouse.owner() as conn:
        snapshots = list_snapshots(conn)
        running = {row[0] for row in conn.execute("SELECT run_id FROM ops.ingest_run WHERE status = 'running'")}
        in_benchmark = {row[0] for row in conn.execute(load_sql("ops/benchmarked_snapshots.sql"))}
    dropped: list[str] = []
    kept: list[KeptSnapshot] = []
    for snapshot in plan_retention(snapshots, keep=keep, running=running):
        if snapshot.snapshot_id in in_benchmark:
            kept.append(KeptSnapshot(snapshot.snapshot_id, "a benchmark is running on it"))
        elif reason := _drop(warehouse, snapshot.snapshot_id):
            kept.append(KeptSnapshot(snapshot.snapshot_id, reason))
        else:
            dropped.append(snapshot.snapshot_id)
    return RetentionResult(dropped=tuple(dropped), kept=tuple(kept))


def plan_retention(snapshots: Collection[Snapshot], *, keep: int, running: Collection[str]) -> list[Snapshot]:
    """Return the snapshots that are due, the oldest first.

    Due are superseded ones beyond the newest `keep`, and what an ended run left unpublished: at once when it was being
    built, otherwise once a later snapshot is published (until then it can be looked at, or published by hand). The
    published one, variants, and whatever a running ingestion owns are never due.
    """
    ordered = sorted(snapshots, key=lambda snapshot: (snapshot.built_at, snapshot.snapshot_id), reverse=True)
    published = next((snapshot for snapshot in ordered if snapshot.state == "published"), None)
    superseded = [snapshot for snapshot in ordered if snapshot.state == "superseded"]
    due = superseded[max(0, keep - (published is not None)) :]
    for snapshot in ordered:
        if snapshot.state not in _LEFTOVER or snapshot.run_id in running:
            continue
        if snapshot.state == "building" or (published is not None and snapshot.built_at < published.built_at):
            due.append(snapshot)
    return sorted(due, key=lambda snapshot: (snapshot.built_at, snapshot.snapshot_id))


def _drop(warehouse: Warehouse, snapshot_id: str) -> str | None:
    """Drop the tables and schema of a snapshot; returns the reason when that is not possible now."""
    try:
        with warehouse.owner() as conn:
            conn.execute("SET LOCAL lock_timeout = '2s'")
            state = conn.execute(
                "SELECT state FROM ops.snapshot WHERE snapshot_id = %s FOR UPDATE", (snapshot_id,)
            ).fetchone()
            if state is None or state[0] == "published":
                return "it was published meanwhile"
            tables = conn.execute(load_sql("ops/schema_tables.sql"), {"schema": snapshot_id}).fetchall()
            if tables:
                names = sql.SQL(", ").join(sql.Identifier(snapshot_id, name) for (name,) in tables)
                conn.execute(sql.SQL("DROP TABLE {} RESTRICT").format(names))
            conn.execute(sql.SQL("DROP SCHEMA IF EXISTS {} RESTRICT").format(sql.Identifier(snapshot_id)))
            conn.execute("UPDATE ops.snapshot SET state = 'dropped' WHERE snapshot_id = %s", (snapshot_id,))
    except psycopg.errors.DependentObjectsStillExist as error:
        return f"still referenced: {error.diag.message_detail or error.diag.message_primary}"
    except psycopg.errors.LockNotAvailable:
        return "a session is reading it"
    return None
