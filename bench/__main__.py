"""Measure the platform in a throw-away home: `python -m bench --rows 200000 --repeats 3`.

What is compared is measured in turns, so that a change of the machine's load meets both sides alike. Medians are
printed, with the smallest and the largest value beside them.
"""

import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from bench.answers import measure_answers, measure_guard
from bench.loading import measure_load
from include.settings import Settings, get_settings
from include.warehouse import EmbeddedServer, Warehouse

FORMATS = ("csv", "json")
LINE = "{:<34}{:>12}{:>12}{:>12}  {}"


def main(
    rows: Annotated[int, typer.Option(min=10_000, max=8_640_000, help="Generated rows.")] = 200_000,
    repeats: Annotated[int, typer.Option(min=1, max=50, help="Measurements of each figure.")] = 3,
) -> None:
    """Print medians of loading, answering and the guard's share."""
    with tempfile.TemporaryDirectory(prefix="crime-bench-") as folder:
        settings = get_settings().model_copy(
            update={"home": Path(folder), "owner_url": None, "reader_url": None, "analyst_url": None, "admin_url": None}
        )
        try:
            _run(rows, repeats, settings)
        finally:
            EmbeddedServer(settings.home).destroy()


def _run(rows: int, repeats: int, settings: Settings) -> None:
    typer.echo(f"{rows:,} generated rows, {repeats} repeats, embedded PostgreSQL\n")
    typer.echo(LINE.format("loading", "median", "smallest", "largest", "unit"))
    warehouse = _print_loads(rows, repeats, settings)
    typer.echo("\n" + LINE.format("answering", "median", "smallest", "largest", "unit"))
    for name, values in measure_answers(warehouse, settings=settings).items():
        _print(name, values, "ms")
    for name, values in measure_guard(warehouse, repeats=20 * repeats, settings=settings).items():
        _print(name, values, "ms")


def _print_loads(rows: int, repeats: int, settings: Settings) -> Warehouse:
    found: dict[str, list[Mapping[str, float]]] = {name: [] for name in FORMATS}
    warehouse: Warehouse | None = None
    for repeat in range(repeats):
        for name in FORMATS:
            turn = settings.model_copy(update={"page_format": name, "database": f"bench_{name}_{repeat}"})
            warehouse, seconds = measure_load(rows, settings=turn)
            found[name].append(seconds)
    assert warehouse is not None
    for name, loads in found.items():
        for stage in loads[0]:
            _print(f"{stage} ({name} pages)", [load[stage] for load in loads], "s")
        _print(f"all ({name} pages)", [rows / sum(load.values()) for load in loads], "rows/s")
    return warehouse


def _print(name: str, values: Sequence[float], unit: str) -> None:
    figures = (f"{value:,.2f}" for value in (statistics.median(values), min(values), max(values)))
    typer.echo(LINE.format(name, *figures, unit))


if __name__ == "__main__":
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(main)
    app()
