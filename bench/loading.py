"""A full load into an empty database, stage by stage."""

import time
from collections.abc import Callable
from typing import TypeVar

from include.ingest import (
    IngestRequest,
    begin_run,
    build_run,
    check_run,
    finish_run,
    land_range,
    merge_run,
    plan_run,
    publish_run,
    reconcile_run,
)
from include.settings import Settings
from include.source import source_from_url
from include.source.simulator import generate_store, serve
from include.warehouse import Warehouse, prepare_warehouse

Made = TypeVar("Made")


def measure_load(rows: int, *, settings: Settings) -> tuple[Warehouse, dict[str, float]]:
    """Load `rows` generated rows from the simulator; return the warehouse and the seconds of each stage.

    The simulator runs in this process and shares its time: the pull is slower than from a server elsewhere.
    """
    warehouse = prepare_warehouse(settings)
    seconds: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Made]) -> Made:
        started = time.perf_counter()
        made = work()
        seconds[stage] = time.perf_counter() - started
        return made

    with serve(generate_store(rows=rows)) as source:
        turn = settings.model_copy(update={"source_url": source.url})
        request = IngestRequest(source=source_from_url(source.url, settings=turn), mode="full", orchestrator="bench")
        run_id = begin_run(warehouse, request.to_dict(), settings=turn)
        parts = timed("plan", lambda: plan_run(warehouse, run_id, settings=turn))
        timed("pull", lambda: [land_range(warehouse, run_id, part, settings=turn) for part in parts])
        timed("merge", lambda: merge_run(warehouse, run_id, settings=turn))
        timed("reconcile", lambda: reconcile_run(warehouse, run_id, settings=turn))
        timed("build", lambda: build_run(warehouse, run_id, settings=turn))
        timed("check", lambda: check_run(warehouse, run_id, settings=turn))
        timed("publish", lambda: publish_run(warehouse, run_id, settings=turn))
        finish_run(warehouse, run_id, settings=turn, error=None)
    return warehouse, seconds
