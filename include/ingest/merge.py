"""Merging: landed pages into `raw.crime`, in one transaction with the watermark."""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import psycopg

from include.errors import RefusedError
from include.ingest.chain import Step, forget_run, read_chain, record_step
from include.ingest.runs import Run, add_counts, add_warnings, load_run, working
from include.ingest.staging import Staging
from include.settings import Settings
from include.source import Landed, LandingError, LandTask, instant, read_landed, task_folder
from include.warehouse import Warehouse, load_sql

log = logging.getLogger(__name__)
_KEPT_EXAMPLES = 1_000


@dataclass(frozen=True)
class MergeCounts:
    """Rows of one merge; `distinct_ids` = inserted + updated + restamped + unchanged + rejected."""

    pages: int = 0
    rows_received: int = 0
    rows_landed: int = 0
    distinct_ids: int = 0
    inserted: int = 0
    updated: int = 0
    restamped: int = 0
    unchanged: int = 0
    rejected: int = 0

    def __add__(self, other: "MergeCounts") -> "MergeCounts":
        return MergeCounts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


class TooManyRejectedError(RefusedError):
    """More rows cannot be cast than the reject limit allows.

    Attributes:
        examples: rejected rows: `source_row`, `column_name`, `value`, `reason`.
    """

    examples: tuple[tuple[Any, ...], ...] = ()


def merge_run(warehouse: Warehouse, run_id: str, *, settings: Settings) -> dict[str, int]:
    """Merge what the run's tasks landed and return the counts of `MergeCounts`.

    A repeated call after a success merges the same rows again, which changes nothing in `raw`.

    Raises:
        LandingError: when a task has not landed whole, or a page was damaged.
        RefusedError: when more rows cannot be cast than `settings.reject_limit` allows; nothing is merged then.
    """
    with working(warehouse, run_id, stage="merge") as conn:
        run = load_run(conn, run_id)
        if run.mode == "from_landing":
            chain = read_chain(settings, str(run.request.landing_run), identity=run.request.source.identity)
            return asdict(merge_steps(warehouse, run, chain.steps, settings=settings))
        step = Step(tuple(LandTask.from_dict(task) for task in run.plan["tasks"]))
        record_step(settings, run, step, is_first=True)
        try:
            counts = merge_steps(warehouse, run, [step], settings=settings)
        except RefusedError:
            forget_run(settings, run)
            raise
        record_step(settings, load_run(conn, run_id), Step())
    return asdict(counts)


def merge_steps(warehouse: Warehouse, run: Run, steps: Sequence[Step], *, settings: Settings) -> MergeCounts:
    """Merge landed tasks, and mark deletions, within a stage that is already being worked on; raises as `merge_run`."""
    landed = [[_landed(run, task, settings=settings) for task in step.tasks] for step in steps]
    counts = MergeCounts()
    try:
        with warehouse.owner() as conn:
            conn.execute("SET LOCAL work_mem = '128MB'")
            conn.execute("SET LOCAL timezone = 'UTC'")
            conn.execute("SET LOCAL datestyle = 'ISO, MDY'")
            conn.execute("LOCK TABLE raw.crime IN SHARE ROW EXCLUSIVE MODE")
            _prepare_raw(conn, run)
            for step, pages in zip(steps, landed, strict=True):
                if step.tasks:
                    counts += _merge(conn, run, step.tasks, pages, settings=settings)
                mark_deleted(conn, run, step.deleted)
            _set_watermark(conn, run, [pages for step in landed for pages in step])
            _settle(conn, run, counts)
    except TooManyRejectedError as error:
        # The transaction that found them is gone; what it found is kept.
        with warehouse.owner() as conn:
            conn.cursor().executemany(load_sql("ingest/keep_rejected.sql"), [(run.run_id, *e) for e in error.examples])
        raise
    log.info("%s: merged %s", run.run_id, counts)
    return counts


def mark_deleted(conn: psycopg.Connection, run: Run, ids: Sequence[int]) -> None:
    """Mark rows of `raw` as deleted, and count them."""
    if ids:
        cursor = conn.execute(load_sql("ingest/mark_deleted.sql"), {"ids": list(ids), "run_id": run.run_id})
        add_counts(conn, run.run_id, {"deleted": cursor.rowcount})


def _merge(
    conn: psycopg.Connection, run: Run, tasks: Sequence[LandTask], landed: Sequence[Landed], *, settings: Settings
) -> MergeCounts:
    is_empty = conn.execute("SELECT NOT EXISTS (SELECT FROM raw.crime)").fetchone() == (True,)
    staging = Staging(conn, run.run_id)
    staging.create()
    rows = sum(staging.load(pages) for pages in landed)
    rejected = 0
    if not staging.type():
        rejected = staging.reject()
        _check_rejected(conn, run, rejected, rows, limit=settings.reject_limit)
        if not staging.type():
            raise RefusedError("rows that cannot be cast remain after their rejection", action="report it")
    # Pages by id were seen to rise, and their tasks do not overlap.
    surplus = staging.keep_newest() if any(task.keyset != "id" for task in tasks) else 0
    kinds = {"inserted": staging.fill_empty()} if is_empty else staging.merge()
    staging.drop()
    return MergeCounts(
        pages=sum(len(pages.pages) for pages in landed),
        rows_received=sum(pages.rows for pages in landed),
        rows_landed=rows,
        distinct_ids=rows - surplus,
        rejected=rejected,
        **kinds,
    )


def _prepare_raw(conn: psycopg.Connection, run: Run) -> None:
    """Make the run's source the current one, and `raw` empty when it held another or is made anew."""
    current = conn.execute("SELECT source_id FROM ops.source WHERE is_current").fetchone()
    if current != (run.source_id,) or run.mode == "from_landing":
        conn.execute("TRUNCATE raw.crime")
        conn.execute("DELETE FROM ops.watermark")
        conn.execute("UPDATE ops.rejected_row SET settled_at = clock_timestamp() WHERE settled_at IS NULL")
        conn.execute("UPDATE ops.source SET is_current = false WHERE is_current")
        conn.execute("UPDATE ops.source SET is_current = true WHERE source_id = %s", (run.source_id,))


def _check_rejected(conn: psycopg.Connection, run: Run, rejected: int, rows: int, *, limit: float) -> None:
    columns = conn.execute(
        "SELECT column_name, count(*), min(value) FROM ops.rejected_row WHERE run_id = %s GROUP BY 1 ORDER BY 2 DESC",
        (run.run_id,),
    ).fetchall()
    said = "; ".join(f"{name}: {count:,} rows, such as {value!r}" for name, count, value in columns)
    if rejected <= rows * limit:
        add_warnings(conn, run.run_id, [f"{rejected:,} rows cannot be kept and are in ops.rejected_row ({said})"])
        return
    error = TooManyRejectedError(
        f"{rejected:,} of {rows:,} rows cannot be kept ({said})",
        expected=f"at most {limit:.4%}",
        action=f"see ops.rejected_row of run {run.run_id}: nothing was merged",
    )
    error.examples = tuple(conn.execute(load_sql("ingest/rejected_examples.sql"), (run.run_id, _KEPT_EXAMPLES)))
    raise error


def _set_watermark(conn: psycopg.Connection, run: Run, landed: Sequence[Landed]) -> None:
    """Raise the watermark: to the source's newest change before a full load, to the last row of an increment."""
    ends = [(instant(pages.last.updated_at), pages.last.id) for pages in landed if pages.last.updated_at]
    if run.watermark_to is not None:
        ends.append((run.watermark_to, None))
    mark, last_id = max(ends, key=lambda end: (end[0], end[1] or 0), default=(None, None))
    stored = conn.execute("SELECT updated_at FROM ops.watermark WHERE source_id = %s", (run.source_id,)).fetchone()
    # An increment that starts behind the stored watermark leaves a gap: it must not hide it.
    leaves_gap = stored is not None and run.watermark_from is not None and run.watermark_from > stored[0]
    if mark is not None and not leaves_gap:
        conn.execute(
            load_sql("ingest/set_watermark.sql"),
            {"source_id": run.source_id, "updated_at": mark, "last_id": last_id, "run_id": run.run_id},
        )
        conn.execute(
            "UPDATE ops.ingest_run SET watermark_to = greatest(watermark_to, %s) WHERE run_id = %s", (mark, run.run_id)
        )


def _settle(conn: psycopg.Connection, run: Run, counts: MergeCounts) -> None:
    """Add the counts to the run, which must still be running: its lock may have been lost with the connection."""
    status = conn.execute("SELECT status FROM ops.ingest_run WHERE run_id = %s FOR UPDATE", (run.run_id,)).fetchone()
    if status != ("running",):
        raise RefusedError(f"run {run.run_id} is {status}", expected="running", action="start a new ingestion")
    add_counts(conn, run.run_id, asdict(counts))


def _landed(run: Run, task: LandTask, *, settings: Settings) -> Landed:
    landed = read_landed(task_folder(settings, task.run_id or run.run_id, task.name))
    if not landed.complete:
        raise LandingError(
            f"{landed.folder} holds {landed.rows:,} rows, not the whole task",
            expected="all pages of the task",
            action="land the task first, or run again",
        )
    return landed
