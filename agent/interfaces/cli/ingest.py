"""`crime ingest`: one ingestion from the command line."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, print_table, progress, run_command, stdout
from include.errors import UsageError
from include.settings import get_settings


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(ingest)


def ingest(
    full: Annotated[bool, typer.Option("--full", help="Load everything.")] = False,
    incremental: Annotated[bool, typer.Option("--incremental", help="Load what changed since the watermark.")] = False,
    from_landing: Annotated[str | None, typer.Option(metavar="RUN", help="Rebuild from landed pages.")] = None,
    source_url: Annotated[str | None, typer.Option(help="Base URL of a SODA source.")] = None,
    source_file: Annotated[Path | None, typer.Option(help="CSV or Parquet file, served by the simulator.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Take the increment from here on.")] = None,
    replace_source: Annotated[bool, typer.Option(help="Empty raw: another source takes its place.")] = False,
    force: Annotated[bool, typer.Option(help="Publish although the row count shrank.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Pull, merge, reconcile, build, check and publish. Without a mode: full when nothing is loaded yet.

    Example: `crime ingest --full --source-file crimes.parquet`
    """
    from include.ingest import run_ingest
    from include.warehouse import Warehouse

    def work() -> Any:
        settings = get_settings()
        request = _request(
            mode=_mode(full=full, incremental=incremental, from_landing=from_landing),
            source_url=source_url,
            source_file=source_file,
            since=since,
            replace_source=replace_source,
            force=force,
            landing_run=from_landing,
        )
        return run_ingest(Warehouse.from_settings(settings), request, settings=settings, progress=progress)

    run_command(work, as_json=as_json, render=_render)


def _mode(*, full: bool, incremental: bool, from_landing: str | None) -> str | None:
    chosen = [
        name
        for name, wanted in (("full", full), ("incremental", incremental), ("from_landing", from_landing is not None))
        if wanted
    ]
    if len(chosen) > 1:
        raise UsageError(
            "more than one of --full, --incremental and --from-landing was given", expected="one of them, or none"
        )
    return chosen[0] if chosen else None


def _request(*, source_url: str | None, source_file: Path | None, **fields: Any) -> Any:
    from include.ingest import IngestRequest, landed_source
    from include.source import source_from_file, source_from_url

    if fields["mode"] == "from_landing" and not (source_url or source_file):
        return IngestRequest(source=landed_source(get_settings(), fields["landing_run"]), **fields)
    if source_url and source_file:
        raise UsageError("both --source-url and --source-file were given", expected="one of them, or none")
    settings = get_settings()
    source = (
        source_from_file(source_file)
        if source_file
        else source_from_url(source_url or settings.source_url, settings=settings)
    )
    return IngestRequest(source=source, **fields)


def _render(result: Any) -> None:
    stdout.print(
        f"run {result.run_id}: {result.status}, snapshot {result.snapshot_id or 'none'}, {result.seconds:.1f} s",
        highlight=False,
    )
    counts = ("rows_received", "inserted", "updated", "restamped", "unchanged", "rejected", "deleted")
    print_table(("count", "rows"), [(name, f"{getattr(result, name):,}") for name in counts])
    if result.ledger:
        print_table(("null rule", "cells filled"), [(name, f"{cells:,}") for name, cells in result.ledger.items()])
    for warning in result.warnings:
        stdout.print(f"warning: {warning}", highlight=False, markup=False)
