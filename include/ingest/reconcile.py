"""Reconciliation: the source's counts by month against those of `raw`; deleted rows are marked, missed ones pulled."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import psycopg
from psycopg import sql

from include.errors import RefusedError
from include.ingest.chain import Step, record_step
from include.ingest.counts import counts_from_dict, counts_to_dict, differing_months, expected_months, raw_rows
from include.ingest.land import Meter, land_in_run
from include.ingest.merge import mark_deleted, merge_steps
from include.ingest.plan import plan_increment, source_of
from include.ingest.runs import Run, load_run, update_run, working
from include.settings import Settings
from include.source import LandTask, SourceReader, page_records, plan_ids, read_landed, remove_task, task_folder
from include.warehouse import Warehouse, load_sql

log = logging.getLogger(__name__)
_ROUNDS = 2
_IDS_PER_REQUEST = 400
"""Keeps the URL under 8 kB."""


@dataclass(frozen=True)
class Differences:
    """Ids of the differing months: only in `raw`, and only in the source (or there in another month)."""

    deleted: tuple[int, ...]
    missed: tuple[int, ...]


def reconcile_run(warehouse: Warehouse, run_id: str, *, settings: Settings) -> dict[str, Any]:
    """Make `raw` hold exactly the rows the source has, and return `rounds`, `deleted` and `missed`.

    When the source moved while it was pulled, one more increment is pulled first. The counts asked last are stored as
    `source_counts_after`, for the gate that compares them with `raw`.

    Raises:
        RefusedError: when more rows than `settings.shrink_limit` were deleted and the run is not forced.
        TransientError: when the source kept failing.
    """
    with working(warehouse, run_id, stage="reconcile") as conn:
        run = load_run(conn, run_id)
        if run.mode == "from_landing":
            # The merge replayed what the landed runs' own reconciliations found.
            return {"rounds": 0, "deleted": run.deleted, "missed": 0}
        deleted = missed = 0
        before = counts_from_dict(run.source_counts_before or {"by_month": {}})
        with SourceReader(source_of(run, settings), settings=settings) as reader:
            after = reader.months()
            rounds = 0
            while rounds < _ROUNDS and (months := differing_months(after, expected_months(conn))):
                rounds += 1
                log.info("%s: %d months differ from the source's, round %d", run_id, len(months), rounds)
                if after != before and run.watermark_to is not None:
                    _pull(warehouse, conn, run, [_catch_up(run, rounds, settings)], settings=settings)
                    before, after = after, reader.months()
                    months = differing_months(after, expected_months(conn))
                found = _compare(conn, run, months, settings=settings)
                _check_deleted(conn, run, found.deleted, limit=settings.shrink_limit)
                found = _confirm(conn, run, found, settings=settings)
                _mark(conn, run, found.deleted, settings=settings)
                deleted += len(found.deleted)
                missed += len(found.missed)
                _pull(warehouse, conn, run, plan_missed(found.missed, number=rounds), settings=settings)
                before, after = after, reader.months()
            update_run(conn, run_id, source_counts_after=counts_to_dict(after))
    return {"rounds": rounds, "deleted": deleted, "missed": missed}


def plan_missed(ids: Sequence[int], *, number: int) -> list[LandTask]:
    """Return the tasks that pull rows by id."""
    batches = range(0, len(ids), _IDS_PER_REQUEST)
    return [
        plan_ids(f"missed-{number}-{start // _IDS_PER_REQUEST}", ids=ids[start : start + _IDS_PER_REQUEST])
        for start in batches
    ]


def plan_month(month: str) -> LandTask:
    """Return the task that pulls the ids of a month such as `2024-05`; '' = rows without a date."""
    where = "date IS NULL"
    if month:
        first = date.fromisoformat(f"{month}-01")
        following = (first + timedelta(days=32)).replace(day=1)
        where = f"date >= '{first}T00:00:00' AND date < '{following}T00:00:00'"
    return LandTask(f"ids-{month or 'undated'}", "id", where=where, columns=("id",))


def _catch_up(run: Run, number: int, settings: Settings) -> LandTask:
    assert run.watermark_to is not None
    return plan_increment(f"catch-up-{number}", since=run.watermark_to - timedelta(hours=settings.overlap_hours))


def _pull(
    warehouse: Warehouse, conn: psycopg.Connection, run: Run, tasks: Sequence[LandTask], *, settings: Settings
) -> None:
    """Land and merge more rows, and add the tasks to the run's plan."""
    if not tasks:
        return
    for task in tasks:
        land_in_run(conn, run.run_id, task, settings=settings, meter=Meter(None, total=None))
    plan = load_run(conn, run.run_id).plan
    update_run(conn, run.run_id, plan=plan | {"tasks": [*plan["tasks"], *(task.to_dict() for task in tasks)]})
    run = load_run(conn, run.run_id)
    step = Step(tuple(tasks))
    record_step(settings, run, step)
    merge_steps(warehouse, run, [step], settings=settings)
    record_step(settings, load_run(conn, run.run_id), Step())


def _compare(conn: psycopg.Connection, run: Run, months: Sequence[str], *, settings: Settings) -> Differences:
    """Pull the ids of the months, and compare them with those of `raw`."""
    conn.execute("CREATE TEMPORARY TABLE IF NOT EXISTS source_id (id bigint NOT NULL, month text NOT NULL)")
    conn.execute("TRUNCATE source_id")
    for month in months:
        # Landed before the COPY begins: while one runs, its connection does nothing else.
        ids = _pull_ids(conn, run, plan_month(month), settings=settings)
        with conn.cursor() as cursor, cursor.copy("COPY source_id (id, month) FROM STDIN") as copy:
            for row_id in ids:
                copy.write_row((row_id, month))
    conn.execute("ANALYZE source_id")
    outstanding = sql.SQL(load_sql("ingest/outstanding.sql"))
    query = sql.SQL(load_sql("ingest/differences.sql")).format(outstanding=outstanding)
    rows = conn.execute(query, {"months": list(months)}).fetchall()
    query = sql.SQL(load_sql("ingest/settle_rejected.sql")).format(outstanding=outstanding)
    conn.execute(query, {"months": list(months)})
    return Differences(
        deleted=tuple(row_id for kind, row_id in rows if kind == "deleted"),
        missed=tuple(row_id for kind, row_id in rows if kind == "missed"),
    )


def _confirm(conn: psycopg.Connection, run: Run, found: Differences, *, settings: Settings) -> Differences:
    """Ask for each deleted id by itself: a row may have moved to another month while the ids were pulled."""
    alive: set[int] = set()
    for start in range(0, len(found.deleted), _IDS_PER_REQUEST):
        ids = found.deleted[start : start + _IDS_PER_REQUEST]
        task = replace(plan_ids(f"confirm-{start}", ids=ids), columns=("id",))
        alive.update(_pull_ids(conn, run, task, settings=settings))
    return Differences(
        deleted=tuple(row_id for row_id in found.deleted if row_id not in alive),
        missed=tuple(sorted(alive.union(found.missed))),
    )


def _pull_ids(conn: psycopg.Connection, run: Run, task: LandTask, *, settings: Settings) -> list[int]:
    """Return the ids of a task whose only column is `id`; its pages are not kept."""
    folder = task_folder(settings, run.run_id, task.name)
    land_in_run(conn, run.run_id, task, settings=settings, meter=Meter(None, total=None))
    pages = read_landed(folder).pages
    ids = [int(record[0]) for page in pages for record in page_records(folder / page.file, page)]
    remove_task(folder)
    return ids


def _check_deleted(conn: psycopg.Connection, run: Run, deleted: Sequence[int], *, limit: float) -> None:
    rows = raw_rows(conn)
    if len(deleted) > rows * limit and not run.request.force:
        raise RefusedError(
            f"the source deleted {len(deleted):,} of {rows:,} rows, such as id {deleted[0]}",
            expected=f"at most {limit:.1%} of them",
            action="see whether the source lost data; if it is right, run again with --force",
        )


def _mark(conn: psycopg.Connection, run: Run, deleted: Sequence[int], *, settings: Settings) -> None:
    if not deleted:
        return
    record_step(settings, load_run(conn, run.run_id), Step(deleted=tuple(deleted)))
    with conn.transaction():
        mark_deleted(conn, run, deleted)
