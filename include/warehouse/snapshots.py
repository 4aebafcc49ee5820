"""The record of snapshots, `ops.snapshot`."""

from dataclasses import dataclass, fields
from datetime import datetime

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from include.errors import RefusedError, UsageError

TABLE_NAMES = ("crime_incidents", "district_names", "community_area_names", "ward_names")


@dataclass(frozen=True)
class Snapshot:
    """One snapshot. `snapshot_id` is the name of its schema; incident times are Chicago local time without a zone."""

    snapshot_id: str
    state: str
    source_id: int | None
    run_id: str | None
    predecessor_id: str | None
    row_count: int | None
    newest_incident: datetime | None
    oldest_incident: datetime | None
    newest_update: datetime | None
    fingerprint: str | None
    built_at: datetime
    published_at: datetime | None
    note: str | None


_SELECT = sql.SQL("SELECT {} FROM ops.snapshot").format(
    sql.SQL(", ").join(sql.Identifier(field.name) for field in fields(Snapshot))
)


def list_snapshots(conn: psycopg.Connection) -> list[Snapshot]:
    """Return all snapshots on record, the newest build first, dropped ones included."""
    return _query(conn, sql.SQL(" ORDER BY built_at DESC, snapshot_id DESC"))


def get_snapshot(conn: psycopg.Connection, snapshot_id: str) -> Snapshot:
    """Return one snapshot.

    Raises:
        UsageError: when there is none of that id.
    """
    found = _query(conn, sql.SQL(" WHERE snapshot_id = {}").format(sql.Literal(snapshot_id)))
    if not found:
        raise UsageError(
            f"there is no snapshot {snapshot_id!r}", action="see `crime snapshots list` for those there are"
        )
    return found[0]


def published_snapshot(conn: psycopg.Connection) -> Snapshot | None:
    """Return the published snapshot, none when nothing was published yet."""
    found = _query(conn, sql.SQL(" WHERE state = 'published'"))
    return found[0] if found else None


def require_snapshot(conn: psycopg.Connection, snapshot_id: str | None) -> Snapshot:
    """Return a snapshot that can be queried: the one named, else the published one.

    Raises:
        UsageError: when the named one does not exist.
        RefusedError: when its tables are gone or not complete, or nothing is published.
    """
    if snapshot_id is not None:
        snapshot = get_snapshot(conn, snapshot_id)
        if snapshot.state in ("dropped", "building"):
            raise RefusedError(
                f"snapshot {snapshot_id} is {snapshot.state}",
                expected="a complete snapshot",
                action="see `crime snapshots list` for those there are",
            )
        return snapshot
    published = published_snapshot(conn)
    if published is None:
        raise RefusedError("no snapshot is published", action="load the data first: `crime ingest`")
    return published


def _query(conn: psycopg.Connection, condition: sql.Composable) -> list[Snapshot]:
    with conn.cursor(row_factory=class_row(Snapshot)) as cursor:
        return cursor.execute(_SELECT + condition).fetchall()
