"""Measure ingestion beside its floors: `python -m bench.ingest --rows 8640000 --repeats 3`.

In turns, so that a change of the machine's load meets all alike, each turn in a process of its own:

* copy: the finished rows by binary COPY, with the keys and indexes of a snapshot: nothing can be faster;
* build: a snapshot from `raw`;
* load: landed pages to a published snapshot, all gates and the suite included, into an empty `raw`;
* pandas: `read_csv` and `to_sql` of the first landed rows, scaled to all;
* week: an increment from the source to a published snapshot, after a week has passed at the source.

Before them the source is pulled once, beside the same answers thrown away, which is as fast as it can serve.
"""

import statistics
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import psutil
import requests
import typer

from bench import floors
from include.ingest import IngestRequest, begin_run, finish_run, land_range, plan_run, run_build, run_ingest
from include.settings import Settings, get_settings
from include.source import SourceSpec, read_landed, source_from_url
from include.source.simulator import SimulatorProcess, start_process
from include.warehouse import EmbeddedServer, Warehouse, prepare_warehouse

_WATCH_SECONDS = 0.1
LINE = "{:<28}{:>10}{:>10}{:>10}{:>13}"


def main(
    rows: Annotated[int, typer.Option(min=10_000, max=20_000_000, help="Generated rows.")] = 200_000,
    repeats: Annotated[int, typer.Option(min=1, max=20, help="Turns.")] = 3,
    sample: Annotated[int, typer.Option(min=1_000, help="Rows that pandas loads.")] = 20_000,
) -> None:
    """Print seconds (median, smallest, largest) and the peak memory of the process, then the ratios."""
    with tempfile.TemporaryDirectory(prefix="crime-bench-") as folder:
        Path(folder).chmod(0o755)
        none = {"owner_url": None, "reader_url": None, "analyst_url": None, "admin_url": None}
        settings = get_settings().model_copy(update={"home": Path(folder), **none})
        source = start_process(rows=rows)
        try:
            _run(rows, repeats, sample, source, settings)
        finally:
            source.stop()
            EmbeddedServer(settings.home).destroy()


def _run(rows: int, repeats: int, sample: int, source: SimulatorProcess, settings: Settings) -> None:
    warehouse = prepare_warehouse(settings)
    spec = source_from_url(source.url, settings)
    typer.echo(f"{rows:,} generated rows, {repeats} turns\n" + LINE.format("", "median", "least", "most", "peak MB"))
    loaded = IngestRequest(spec, mode="full", orchestrator="bench")
    served = in_child(_serve, source.url, settings)
    pulled = in_child(_pull, warehouse, loaded, settings)
    _print("source served, thrown away", [served])
    _print("source pulled and landed", [pulled])
    first = run_ingest(warehouse, loaded, settings=settings)
    finished = settings.home / "finished.copy"
    floors.export(warehouse, str(first.snapshot_id), finished)
    pages = settings.landing_dir / first.run_id / "range-0"
    sample = min(sample, read_landed(pages).pages[0].rows)
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(repeats):
        found["copy"].append(in_child(floors.copy, warehouse, finished))
        found["build"].append(in_child(_build, warehouse))
        found["load"].append(in_child(_load, warehouse, spec, first.run_id, settings))
        seconds, peak = in_child(floors.pandas, warehouse, pages, sample)
        found["pandas"].append((seconds * rows / sample, peak))
    for _ in range(repeats):
        source.advance(1)
        found["week"].append(in_child(_week, warehouse, spec, settings))
    for name, turns in found.items():
        _print(name, turns)
    middle = {name: statistics.median(seconds for seconds, _ in turns) for name, turns in found.items()}
    for upper, lower in (("build", "copy"), ("load", "copy"), ("pandas", "load"), ("week", "build")):
        typer.echo(f"{upper} / {lower}: {middle[upper] / middle[lower]:.2f}")
    typer.echo(f"pull / serve: {pulled[0] / served[0]:.2f}")


def in_child(work: Callable[..., Any], *arguments: Any) -> tuple[float, float]:
    """Run in a fresh process and return the seconds it took there and the peak of its memory (PSS), in MB."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measured, work, arguments).result()


def _measured(work: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[float, float]:
    peak = 0.0
    ended = threading.Event()

    def watch() -> None:
        nonlocal peak
        process = psutil.Process()
        while not ended.wait(_WATCH_SECONDS):
            memory = process.memory_full_info()
            # Only Linux counts shared pages by their share.
            peak = max(peak, getattr(memory, "pss", memory.uss) / 2**20)

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    try:
        work(*arguments)
    finally:
        seconds = time.perf_counter() - started
        ended.set()
        watcher.join()
    return seconds, peak


def _serve(url: str, settings: Settings) -> None:
    after, rows = 0, settings.page_rows
    address = f"{url}/resource/{settings.dataset_id}.csv"
    while rows == settings.page_rows:
        query = {"$select": floors.SELECTED, "$order": "id", "$limit": str(settings.page_rows)}
        query["$where"] = f"id > {after}"
        body = requests.get(address, params=query, timeout=600).content
        rows = body.count(b"\n") - 1
        after = int(body.rstrip().rpartition(b"\n")[2].split(b",")[1].strip(b'"')) if rows else after


def _pull(warehouse: Warehouse, request: IngestRequest, settings: Settings) -> None:
    run_id = begin_run(warehouse, request.to_dict(), settings=settings)
    parts = plan_run(warehouse, run_id, settings=settings)
    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(lambda part: land_range(warehouse, run_id, part, settings=settings), parts))
    finish_run(warehouse, run_id, settings=settings, error="only pulled, for a measurement")


def _build(warehouse: Warehouse) -> None:
    with warehouse.owner(autocommit=True) as conn:
        run_build(conn, schema="bench_build")
        conn.execute("DROP SCHEMA bench_build CASCADE")


def _load(warehouse: Warehouse, source: SourceSpec, run_id: str, settings: Settings) -> None:
    request = IngestRequest(source, mode="from_landing", landing_run=run_id, force=True, orchestrator="bench")
    run_ingest(warehouse, request, settings=settings)


def _week(warehouse: Warehouse, source: SourceSpec, settings: Settings) -> None:
    run_ingest(warehouse, IngestRequest(source, mode="incremental", orchestrator="bench"), settings=settings)


def _print(name: str, turns: list[tuple[float, float]]) -> None:
    seconds = [value for value, _ in turns]
    figures = [f"{value:,.1f}" for value in (statistics.median(seconds), min(seconds), max(seconds))]
    typer.echo(LINE.format(name, *figures, f"{max(peak for _, peak in turns):,.0f}"))


if __name__ == "__main__":
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(main)
    app()
