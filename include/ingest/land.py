"""Landing: the pages of one task, pulled to disk."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg

from include.ingest.plan import source_of
from include.ingest.runs import beat, load_run, working
from include.settings import Settings
from include.source import LandTask, Page, SourceReader, land_task, task_folder
from include.warehouse import Warehouse

log = logging.getLogger(__name__)
Progress = Callable[[str], None]
_BEAT_SECONDS = 15.0
_SAY_SECONDS = 2.0


def land_range(
    warehouse: Warehouse, run_id: str, task: Mapping[str, Any], *, settings: Settings, progress: Progress | None = None
) -> dict[str, Any]:
    """Pull the rows of one task of `plan_run`; a repeated call continues after the last whole page.

    Returns:
        `task` (its name), `pages` and `rows`.

    Raises:
        TransientError: when the source kept failing.
        TerminalError: when the source refuses or drifts, or pages cannot be written.
    """
    planned = LandTask.from_dict(task)
    with working(warehouse, run_id, stage="land", part=planned.name) as conn:
        meter = Meter(progress, total=planned.rows)
        return land_in_run(conn, run_id, planned, settings=settings, meter=meter)


def land_all(
    warehouse: Warehouse, run_id: str, tasks: list[dict[str, Any]], *, settings: Settings, progress: Progress | None
) -> None:
    """Pull all tasks, side by side; raises as `land_range`."""
    with warehouse.owner(autocommit=True) as conn:
        total = load_run(conn, run_id).plan.get("rows") if len(tasks) > 1 else None
    meter = Meter(progress, total=total)

    def land(task: dict[str, Any]) -> None:
        planned = LandTask.from_dict(task)
        with working(warehouse, run_id, stage="land", part=planned.name) as conn:
            land_in_run(conn, run_id, planned, settings=settings, meter=meter)

    with ThreadPoolExecutor(max_workers=max(1, len(tasks)), thread_name_prefix="land") as pool:
        futures = [pool.submit(land, task) for task in tasks]
        for future in futures:
            future.result()


def land_in_run(
    conn: psycopg.Connection, run_id: str, task: LandTask, *, settings: Settings, meter: "Meter"
) -> dict[str, Any]:
    """Pull a task within a stage that is already being worked on."""
    last_beat = time.monotonic()

    def on_page(page: Page) -> None:
        nonlocal last_beat
        meter.add(page.rows)
        if time.monotonic() - last_beat > _BEAT_SECONDS:
            beat(conn, run_id)
            last_beat = time.monotonic()

    with SourceReader(source_of(load_run(conn, run_id), settings), settings=settings) as reader:
        landed = land_task(reader, task, task_folder(settings, run_id, task.name), settings=settings, on_page=on_page)
    log.info("%s: %s landed, %d pages, %d rows", run_id, task.name, len(landed.pages), landed.rows)
    return {"task": task.name, "pages": len(landed.pages), "rows": landed.rows}


class Meter:
    """Counts landed rows over all tasks and says so now and then."""

    def __init__(self, progress: Progress | None, *, total: int | None) -> None:
        self._progress = progress
        self._total = total
        self._lock = threading.Lock()
        self._rows = 0
        self._said = 0.0

    def add(self, rows: int) -> None:
        """Count rows of a page."""
        with self._lock:
            self._rows += rows
            is_done = self._total is not None and self._rows >= self._total
            if self._progress and (is_done or time.monotonic() - self._said >= _SAY_SECONDS):
                self._said = time.monotonic()
                of = f" of {self._total:,}" if self._total else ""
                self._progress(f"landed {self._rows:,}{of} rows")
