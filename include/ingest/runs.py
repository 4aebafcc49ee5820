"""The record of runs, `ops.ingest_run`, and the lock that a working process holds."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from include.errors import PlatformError, RefusedError, UsageError
from include.ingest.errors import GateHeldError
from include.ingest.request import IngestRequest
from include.warehouse import SnapshotHeldError, Warehouse, WarehouseDownError

log = logging.getLogger(__name__)
LOCK_CLASS = 7_403
"""First key of the advisory locks of runs; the second is a hash of the run."""
QUIET = timedelta(minutes=15)
"""How long a run of tasks may stay without a working process before another one may take its place."""


@dataclass(frozen=True)
class Run:
    """One row of `ops.ingest_run`; counts are rows. `plan` holds the request and the land tasks."""

    run_id: str
    source_id: int
    mode: str
    status: str
    stage: str
    orchestrator: str
    started_at: datetime
    heartbeat_at: datetime
    watermark_from: datetime | None
    watermark_to: datetime | None
    pages: int
    rows_received: int
    rows_landed: int
    distinct_ids: int
    inserted: int
    updated: int
    restamped: int
    unchanged: int
    rejected: int
    deleted: int
    source_counts_before: dict[str, Any] | None
    source_counts_after: dict[str, Any] | None
    snapshot_id: str | None
    plan: dict[str, Any]
    warnings: list[str]
    error: dict[str, Any] | None

    @property
    def request(self) -> IngestRequest:
        """What was asked."""
        return IngestRequest.from_dict(self.plan["request"])


_SELECT = sql.SQL("SELECT {} FROM ops.ingest_run").format(
    sql.SQL(", ").join(sql.Identifier(field.name) for field in fields(Run))
)


@contextmanager
def working(warehouse: Warehouse, run_id: str, *, stage: str, part: str = "") -> Iterator[psycopg.Connection]:
    """Work on a stage of a run: yields an autocommit connection that shows the run as alive while it is open.

    An error of the stage is written to the run and raised again; `finish_run` ends the run.

    Raises:
        UsageError: when there is no such run.
        RefusedError: when the run has ended, for example because another one took its place.
    """
    where = f"{stage} {part}".strip()
    has_begun = False
    try:
        with warehouse.owner(autocommit=True) as conn:
            # Shared: the land tasks of a run work side by side; a run that begins asks for it exclusively.
            conn.execute("SELECT pg_advisory_lock_shared(%s, hashtext(%s))", (LOCK_CLASS, run_id))
            run = _require_running(conn, run_id)
            # A retry clears the error of its own first attempt, never that of a task beside it.
            settled = {"error": None} if run.error and run.error["stage"] == where else {}
            update_run(conn, run_id, stage=stage, heartbeat_at=datetime.now(UTC), **settled)
            has_begun = True
            yield conn
            if not _is_lost(conn):
                update_run(conn, run_id, stage=done(stage), heartbeat_at=datetime.now(UTC))
                return
        # The work is done, by other connections: only the one that showed it was lost, as when the server restarted.
        with warehouse.owner(autocommit=True) as conn:
            _require_running(conn, run_id)
            update_run(conn, run_id, stage=done(stage), heartbeat_at=datetime.now(UTC))
    except BaseException as error:
        if has_begun or isinstance(error, WarehouseDownError):
            _note_error(warehouse, run_id, stage=where, error=error)
        raise


def done(stage: str) -> str:
    """Return how a run that has finished a stage says so."""
    return f"{stage} done"


def load_run(conn: psycopg.Connection, run_id: str) -> Run:
    """Return a run.

    Raises:
        UsageError: when there is none of that id.
    """
    with conn.cursor(row_factory=class_row(Run)) as cursor:
        run = cursor.execute(_SELECT + sql.SQL(" WHERE run_id = %s"), (run_id,)).fetchone()
    if run is None:
        raise UsageError(f"there is no run {run_id!r}", action="see ops.ingest_run for those there are")
    return run


def _require_running(conn: psycopg.Connection, run_id: str) -> Run:
    run = load_run(conn, run_id)
    if run.status != "running":
        raise RefusedError(f"run {run_id} is {run.status}", expected="a running run", action="start a new ingestion")
    return run


def _is_lost(conn: psycopg.Connection) -> bool:
    try:
        conn.execute("SELECT")
    except psycopg.OperationalError:
        return True
    return False


def running_runs(conn: psycopg.Connection) -> list[Run]:
    """Return the runs that have not ended, oldest first."""
    with conn.cursor(row_factory=class_row(Run)) as cursor:
        return cursor.execute(_SELECT + sql.SQL(" WHERE status = 'running' ORDER BY started_at")).fetchall()


def update_run(conn: psycopg.Connection, run_id: str, **values: Any) -> None:
    """Set columns of a run; dicts and lists become JSON."""
    assignments = sql.SQL(", ").join(sql.SQL("{} = {}").format(sql.Identifier(n), sql.Placeholder(n)) for n in values)
    adapted = {n: Jsonb(v) if isinstance(v, dict | list) else v for n, v in values.items()}
    conn.execute(
        sql.SQL("UPDATE ops.ingest_run SET {} WHERE run_id = %(of_run)s").format(assignments),
        adapted | {"of_run": run_id},
    )


def add_counts(conn: psycopg.Connection, run_id: str, counts: Mapping[str, int]) -> None:
    """Add to counter columns of a run."""
    assignments = sql.SQL(", ").join(sql.SQL("{0} = {0} + {1}").format(sql.Identifier(n), v) for n, v in counts.items())
    conn.execute(sql.SQL("UPDATE ops.ingest_run SET {} WHERE run_id = {}").format(assignments, run_id))


def add_warnings(conn: psycopg.Connection, run_id: str, warnings: list[str]) -> None:
    """Add warnings to a run, each once."""
    for warning in warnings:
        log.warning("%s: %s", run_id, warning)
        conn.execute(
            "UPDATE ops.ingest_run SET warnings = warnings || %(w)s WHERE run_id = %(r)s AND NOT warnings @> %(w)s",
            {"w": Jsonb([warning]), "r": run_id},
        )


def beat(conn: psycopg.Connection, run_id: str) -> None:
    """Show that the run is alive."""
    conn.execute("UPDATE ops.ingest_run SET heartbeat_at = clock_timestamp() WHERE run_id = %s", (run_id,))


def error_record(stage: str, error: BaseException) -> dict[str, Any]:
    """Return what is kept of an error, and the status it gives the run."""
    held = isinstance(error, SnapshotHeldError | GateHeldError)
    refused = isinstance(error, RefusedError)
    record = {
        "stage": stage,
        "kind": type(error).__name__,
        "message": str(error) or type(error).__name__,
        "status": "held" if held else "refused" if refused else "failed",
    }
    if isinstance(error, PlatformError):
        record |= {"seen": error.seen, "expected": error.expected, "action": error.action}
    return record


def _note_error(warehouse: Warehouse, run_id: str, *, stage: str, error: BaseException) -> None:
    try:
        with warehouse.owner(autocommit=True) as conn:
            if load_run(conn, run_id).status == "running":
                update_run(conn, run_id, error=error_record(stage, error))
    except WarehouseDownError as down:
        log.error("the error of %s could not be recorded: %s", run_id, down)
