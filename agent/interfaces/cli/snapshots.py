"""`crime snapshots`: what is published, how it differs, publishing, rolling back and exporting."""

from dataclasses import asdict
from datetime import UTC
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, print_table, progress, run_command, stdout
from include.settings import get_settings

app = typer.Typer(help="List, show, compare, publish, roll back and export snapshots.", no_args_is_help=True)

COLUMNS = ("snapshot", "state", "rows", "newest incident", "published (UTC)")
MINUTE = "%Y-%m-%d %H:%M"


@app.command("list")
def list_command(as_json: JsonFlag = False) -> None:
    """List all snapshots, newest first."""
    from include.warehouse import Warehouse, list_snapshots

    def work() -> list[dict[str, Any]]:
        with Warehouse.from_settings(get_settings()).owner() as conn:
            return [asdict(snapshot) for snapshot in list_snapshots(conn)]

    run_command(
        work,
        as_json=as_json,
        render=_render_list,
    )


@app.command("show")
def show_command(snapshot_id: str, as_json: JsonFlag = False) -> None:
    """Show one snapshot: its state, gates, expectations, null-rule ledger and what differs from its predecessor."""
    from include.quality import describe_snapshot
    from include.warehouse import Warehouse

    def work() -> dict[str, Any]:
        with Warehouse.from_settings(get_settings()).owner() as conn:
            return describe_snapshot(conn, snapshot_id)

    run_command(work, as_json=as_json, render=_render_snapshot)


@app.command("diff")
def diff_command(older: str, newer: str, as_json: JsonFlag = False) -> None:
    """Compare all rows of two snapshots: by kind of difference, crime type and year, and cells by column."""
    from include.quality import SnapshotDiff, compare_snapshots
    from include.warehouse import Warehouse

    def work() -> SnapshotDiff:
        with Warehouse.from_settings(get_settings()).owner() as conn:
            return compare_snapshots(conn, older, newer)

    run_command(work, as_json=as_json, render=lambda diff: _render_diff(diff.rows()))


@app.command("export")
def export_command(
    snapshot_id: Annotated[str | None, typer.Argument(help="The published one by default.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to make; by default a new one below CRIME_HOME.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a snapshot as Parquet files, one a year, for DuckDB, Spark or Trino."""
    from include.export import ExportResult, run_export
    from include.warehouse import Warehouse, require_snapshot

    settings = get_settings()

    def work() -> ExportResult:
        warehouse = Warehouse.from_settings(settings)
        with warehouse.owner() as conn:
            found = require_snapshot(conn, snapshot_id).snapshot_id
        return run_export(warehouse, found, out=out or settings.export_dir / found, progress=progress)

    run_command(work, as_json=as_json, render=_render_export)


@app.command("publish")
def publish_command(snapshot_id: str, as_json: JsonFlag = False) -> None:
    """Publish a held or earlier snapshot that passed its gates."""
    from include.warehouse import Warehouse, run_publish

    def work() -> dict[str, Any]:
        settings = get_settings()
        return asdict(run_publish(Warehouse.from_settings(settings), snapshot_id, patience=settings.publish_patience))

    run_command(work, as_json=as_json, render=_render_published)


@app.command("rollback")
def rollback_command(as_json: JsonFlag = False) -> None:
    """Publish the snapshot before the present one again."""
    from include.warehouse import Warehouse, run_rollback

    run_command(
        lambda: asdict(run_rollback(Warehouse.from_settings(get_settings()))),
        as_json=as_json,
        render=_render_published,
    )


def _render_list(found: list[dict[str, Any]]) -> None:
    rows = [
        (
            row["snapshot_id"],
            row["state"],
            "" if row["row_count"] is None else f"{row['row_count']:,}",
            row["newest_incident"].strftime(MINUTE) if row["newest_incident"] else "",
            row["published_at"].astimezone(UTC).strftime(MINUTE) if row["published_at"] else "",
        )
        for row in found
    ]
    print_table(COLUMNS, rows)


def _render_published(snapshot: Any) -> None:
    stdout.print(f"published: {snapshot['snapshot_id']} ({snapshot['row_count']:,} rows)", highlight=False)


def _render_snapshot(found: dict[str, Any]) -> None:
    for name, value in found["snapshot"].items():
        stdout.print(f"{name}: {value}", highlight=False, markup=False)
    quality = [
        (row["kind"], row["name"], row["severity"], "passed" if row["passed"] else "FAILED", row["seen"])
        for row in found["quality"]
    ]
    print_table(("kind", "check", "severity", "verdict", "seen"), quality)
    ledger = [(row["column_name"], row["rule"], f"{row['cells']:,}") for row in found["ledger"]]
    print_table(("column", "null rule", "cells filled"), ledger)
    if found["diff"]:
        stdout.print(f"since {found['diff'][0]['predecessor_id']}:", highlight=False, markup=False)
        _render_diff(found["diff"])


def _render_diff(rows: list[dict[str, Any]]) -> None:
    kinds = ("added", "changed", "removed", "imputed", "restamped")
    cells = [(row["dimension"], row["value"], *(f"{row[kind]:,}" for kind in kinds)) for row in rows]
    print_table(("of", "value", *kinds), cells)


def _render_export(result: Any) -> None:
    stdout.print(
        f"{result.path}: {result.row_count:,} rows of {result.snapshot_id}, {result.size / 1e6:,.1f} MB",
        highlight=False,
        markup=False,
    )
