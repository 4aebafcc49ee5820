"""What a run pulls: id ranges of everything, or the rows changed since the watermark."""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from include.dataset import UPDATED_AT
from include.errors import RefusedError, UsageError
from include.ingest.chain import read_chain
from include.ingest.counts import counts_to_dict, raw_rows
from include.ingest.request import IngestRequest, Mode
from include.ingest.runs import Run, add_warnings, load_run, update_run, working
from include.settings import Settings
from include.source import (
    Extent,
    LandTask,
    MonthCount,
    SourceMixError,
    SourceReader,
    SourceSpec,
    check_columns,
    instant,
)
from include.warehouse import Warehouse

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RawState:
    """What the warehouse holds before a run.

    Attributes:
        rows: rows in `raw` that the source had when last seen.
        identity: the source `raw` holds; None when it is empty.
        watermark: up to where the run's own source was loaded; None when never.
    """

    rows: int
    identity: str | None
    watermark: datetime | None


def plan_run(warehouse: Warehouse, run_id: str, *, settings: Settings) -> list[dict[str, Any]]:
    """Decide what the run pulls, store it in the run's row and return the land tasks.

    The watermark of a full load and the source's counts are asked here, before the first page.

    Raises:
        SourceMixError: when `raw` holds another source and the request does not replace it.
        SchemaDriftError: when a needed column is missing or retyped.
        RefusedError: when the source holds far fewer rows than `raw`.
        UsageError: when there is nothing to increment, or no landed pages of the run named.
    """
    with working(warehouse, run_id, stage="plan") as conn:
        run = load_run(conn, run_id)
        request = run.request
        state = read_state(conn, run)
        check_source(request, state)
        mode = choose_mode(request, state)
        if mode == "from_landing":
            chain = read_chain(settings, str(request.landing_run), identity=request.source.identity)
            update_run(
                conn,
                run_id,
                mode=mode,
                watermark_to=chain.watermark,
                plan=run.plan | {"tasks": [task.to_dict() for task in chain.tasks]},
            )
            return []
        with SourceReader(source_of(run, settings), settings=settings) as reader:
            add_warnings(conn, run_id, check_columns(reader.columns()))
            extent, months = reader.extent(), reader.months()
        check_shrink(extent, state, request=request, limit=settings.shrink_limit)
        start = None
        if mode == "full":
            tasks = plan_full(months, ranges=settings.full_ranges, page_rows=settings.page_rows)
        elif request.year is not None:
            tasks = [plan_year(request.year)]
        else:
            start = plan_since(request.since, state.watermark, overlap=timedelta(hours=settings.overlap_hours))
            tasks = [plan_increment("increment", since=start, until=request.until)]
        mark = instant(extent.newest_update) if mode == "full" and extent.newest_update else None
        update_run(
            conn,
            run_id,
            mode=mode,
            watermark_from=start,
            watermark_to=mark,
            source_counts_before=counts_to_dict(months),
            plan=run.plan | {"tasks": [task.to_dict() for task in tasks], "rows": extent.rows},
        )
        log.info("%s: %s, %d tasks, %d rows in the source", run_id, mode, len(tasks), extent.rows)
    return [task.to_dict() for task in tasks]


def plan_full(months: Mapping[str, MonthCount], *, ranges: int, page_rows: int) -> list[LandTask]:
    """Return tasks over ranges of ids that together hold every row, old or new, each about as many.

    Ids rise with time, but not strictly: the mean id of a month says where its rows lie, while its smallest and
    largest id do not (homicides have a numbering of their own). The outer ranges are open.
    """
    total = sum(month.rows for month in months.values())
    wanted = max(1, min(ranges, math.ceil(total / page_rows)))
    bounds = _even_bounds(months, parts=wanted)
    share = math.ceil(total / (len(bounds) + 1))
    return [
        LandTask(f"range-{number}", "id", where=_id_range(low, high), rows=share)
        for number, (low, high) in enumerate(zip([None, *bounds], [*bounds, None], strict=True))
    ]


def _even_bounds(months: Mapping[str, MonthCount], *, parts: int) -> list[int]:
    """Return rising ids that cut the rows into about even parts: half a month's rows lie below its mean id."""
    points = [(0.0, 0.0)]
    seen = 0
    for mean, rows in sorted((month.id_sum / month.rows, month.rows) for month in months.values() if month.rows):
        if mean > points[-1][0]:
            points.append((mean, seen + rows / 2))
        seen += rows
    bounds: list[int] = []
    for part in range(1, parts):
        target = seen * part / parts
        # The last segment goes on beyond its end, for the second half of the newest month.
        after = next((n for n, (_, below) in enumerate(points) if below >= target), len(points) - 1)
        (left, rows_left), (right, rows_right) = points[after - 1], points[after]
        bound = int(left + (right - left) * (target - rows_left) / max(rows_right - rows_left, 1))
        if bound > (bounds[-1] if bounds else 0):
            bounds.append(bound)
    return bounds


def plan_increment(name: str, *, since: datetime, until: datetime | None = None) -> LandTask:
    """Return the task that pulls all rows the source touched after a moment, and up to another one."""
    where = f"{UPDATED_AT.name} > '{_utc(since)}'"
    if until is not None:
        where += f" AND {UPDATED_AT.name} <= '{_utc(until)}'"
    return LandTask(name, "updated_at", where=where)


def plan_year(year: int) -> LandTask:
    """Return the task that pulls all rows whose date lies in a year."""
    where = f"date >= '{year:04}-01-01T00:00:00' AND date < '{year + 1:04}-01-01T00:00:00'"
    return LandTask(f"year-{year}", "id", where=where)


def plan_since(since: datetime | None, watermark: datetime | None, *, overlap: timedelta) -> datetime:
    """Return where the increment starts: as asked, else the overlap before the watermark.

    Raises:
        UsageError: when there is neither.
    """
    if since is not None:
        return since
    if watermark is None:
        raise UsageError(
            "this source was never loaded in full", expected="a stored watermark", action="run `crime ingest --full`"
        )
    return watermark - overlap


def choose_mode(request: IngestRequest, state: RawState) -> Mode:
    """Return what the run does; everything is pulled when there is nothing to build on.

    Raises:
        UsageError: when an increment was asked and there is nothing to build on.
    """
    fresh = state.identity is None or state.identity != request.source.identity or state.watermark is None
    if fresh and (request.mode == "incremental" or request.is_window):
        raise UsageError(
            "there is nothing to increment: raw does not hold this source",
            expected="an earlier full load of it",
            action="run `crime ingest --full`",
        )
    return request.mode or ("full" if fresh else "incremental")


def check_source(request: IngestRequest, state: RawState) -> None:
    """Raise SourceMixError when `raw` holds another source that the request does not replace."""
    if state.identity not in (None, request.source.identity) and not request.replace_source:
        raise SourceMixError(
            f"raw holds {state.identity}, and {request.source.identity} was to be loaded into it",
            expected="one source in raw",
            action="use --replace-source to empty raw first, or another database (CRIME_DATABASE)",
        )


def check_shrink(extent: Extent, state: RawState, *, request: IngestRequest, limit: float) -> None:
    """Raise RefusedError when the source lost more than `limit` of the rows known of it."""
    if request.force or state.identity != request.source.identity:
        return
    if extent.rows < state.rows * (1 - limit):
        raise RefusedError(
            f"the source holds {extent.rows:,} rows, {state.rows - extent.rows:,} fewer than raw ({state.rows:,})",
            expected=f"at most {limit:.1%} fewer",
            action="nothing was pulled: see whether the source lost data; if it is right, run again with --force",
        )


def read_state(conn: psycopg.Connection, run: Run) -> RawState:
    """Return what the warehouse holds."""
    rows = raw_rows(conn)
    identity = conn.execute("SELECT identity FROM ops.source WHERE is_current").fetchone()
    watermark = conn.execute("SELECT updated_at FROM ops.watermark WHERE source_id = %s", (run.source_id,)).fetchone()
    is_empty = conn.execute("SELECT NOT EXISTS (SELECT FROM raw.crime)").fetchone() == (True,)
    return RawState(
        rows, identity[0] if identity and not is_empty else None, watermark[0] if watermark and not is_empty else None
    )


def source_of(run: Run, settings: Settings) -> SourceSpec:
    """Return the run's source with the application token, which is not stored."""
    token = settings.app_token.get_secret_value() if settings.app_token else None
    return replace(run.request.source, app_token=token)


def _id_range(low: int | None, high: int | None) -> str:
    conditions = [f"id > {low}"] * (low is not None) + [f"id <= {high}"] * (high is not None)
    return " AND ".join(conditions)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
