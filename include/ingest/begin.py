"""The first and the last step of a run: its row in `ops.ingest_run`."""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from include.errors import RefusedError
from include.ingest.request import IngestRequest
from include.ingest.runs import LOCK_CLASS, QUIET, Run, done, load_run, running_runs, update_run
from include.ingest.tell import tell_end, tell_loss
from include.settings import Settings
from include.source import source_from_url
from include.warehouse import Warehouse, WarehouseDownError, load_sql, published_snapshot

log = logging.getLogger(__name__)
_BEGIN_LOCK = 7_403_201


def begin_run(warehouse: Warehouse, request: Mapping[str, Any], *, settings: Settings) -> str:
    """Insert the run's row as `running`, commit it and return the run's id.

    A run that no process works on any more is marked `abandoned` first.

    Args:
        warehouse: where.
        request: `IngestRequest.to_dict()`; a source without an identity is asked for it.
        settings: the settings.

    Raises:
        RefusedError: when another ingestion is running.
        UsageError: when the request makes no sense.
    """
    wanted = IngestRequest.from_dict(request)
    if not wanted.source.identity:
        wanted = replace(wanted, source=source_from_url(wanted.source.url, settings))
    with warehouse.owner(autocommit=True) as conn:
        return begin_on(conn, wanted, settings=settings)


def begin_on(conn: psycopg.Connection, request: IngestRequest, *, settings: Settings) -> str:
    """Begin a run as `begin_run` does; the run counts as worked on while the connection stays open."""
    run_id = f"run_{datetime.now(UTC):%Y%m%dt%H%M%S%f}"[:-3] + f"_{secrets.token_hex(2)}"
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_BEGIN_LOCK,))
        dead = running_runs(conn)
        for run in dead:
            _take_place_of(conn, run, orchestrator=request.orchestrator)
        conn.execute("SELECT pg_advisory_lock_shared(%s, hashtext(%s))", (LOCK_CLASS, run_id))
        conn.execute(
            load_sql("ingest/begin_run.sql"),
            {
                "run_id": run_id,
                "kind": request.source.kind,
                "identity": request.source.identity,
                "mode": request.mode or "full",
                "orchestrator": request.orchestrator,
                "plan": Jsonb({"request": request.to_dict()}),
            },
        )
    for run in dead:
        tell_end(settings, load_run(conn, run.run_id), published_snapshot(conn))
    log.info("%s began: %s, mode %s", run_id, request.source.identity, request.mode or "by what raw holds")
    return run_id


def finish_run(warehouse: Warehouse, run_id: str, *, settings: Settings, error: str | None = None) -> dict[str, Any]:
    """End a run, tell it by e-mail and webhook, and return what its record says.

    That is `run_id`, `status`, `snapshot_id`, the counts, `warnings` and `error`.

    Args:
        warehouse: where.
        run_id: the run; one that has ended stays as it is.
        settings: the settings.
        error: what went wrong, when no stage recorded it.
    """
    try:
        with warehouse.owner() as conn:
            run = load_run(conn, run_id)
            has_ended = run.status != "running"
            if not has_ended:
                status, record = _outcome(conn, run, error)
                update_run(conn, run_id, status=status, finished_at=datetime.now(UTC), error=record)
                run = load_run(conn, run_id)
                log.info("%s ended: %s", run_id, run.status)
            published = published_snapshot(conn)
    except WarehouseDownError as down:
        tell_loss(settings, run_id, error or str(down))
        raise
    if not has_ended:
        tell_end(settings, run, published)
    counts = ("rows_received", "inserted", "updated", "restamped", "unchanged", "rejected", "deleted")
    return {
        "run_id": run_id,
        "status": run.status,
        "snapshot_id": run.snapshot_id,
        **{name: getattr(run, name) for name in counts},
        "warnings": run.warnings,
        "error": run.error,
    }


def _outcome(conn: psycopg.Connection, run: Run, error: str | None) -> tuple[str, dict[str, Any] | None]:
    """Return the status a run ends with, and the error that is recorded."""
    if _is_published(conn, run):
        # Whatever failed afterwards: readers have it.
        return "published", run.error
    if run.error is not None:
        return run.error["status"], run.error
    if error is None:
        if run.stage == done("build") and run.snapshot_id is None:
            return "unchanged" if run.request.publish else "merged", None
        if run.stage in (done("merge"), done("reconcile")):
            return "merged", None
        error = f"the run ended at stage {run.stage} without saying why"
    return "failed", {"stage": run.stage, "kind": "", "message": error, "status": "failed"}


def _is_published(conn: psycopg.Connection, run: Run) -> bool:
    row = conn.execute("SELECT state FROM ops.snapshot WHERE snapshot_id = %s", (run.snapshot_id,)).fetchone()
    return row == ("published",)


def _take_place_of(conn: psycopg.Connection, run: Run, *, orchestrator: str) -> None:
    """Mark a dead run as abandoned, or refuse to begin beside a living one."""
    row = conn.execute(
        "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s)), clock_timestamp()", (LOCK_CLASS, run.run_id)
    ).fetchone()
    assert row is not None
    is_free, now = row
    # Between two tasks of a DAG run no process holds the lock. An orchestrator never has two runs at a time.
    same = run.orchestrator.split(":")[0] == orchestrator.split(":")[0]
    if not is_free or not (same or run.orchestrator == "cli" or now - run.heartbeat_at > QUIET):
        raise RefusedError(
            f"ingestion {run.run_id} ({run.orchestrator}) is running since {run.started_at:%Y-%m-%d %H:%M:%S} UTC,"
            f" at stage {run.stage}",
            expected="one ingestion at a time",
            action="wait until it ends, then run again",
        )
    log.warning("%s ended without saying so, at stage %s", run.run_id, run.stage)
    update_run(
        conn,
        run.run_id,
        status="published" if _is_published(conn, run) else "abandoned",
        finished_at=now,
        error=run.error or {"stage": run.stage, "kind": "", "message": "the process ended without saying so"},
    )
