"""`crime snapshots`: what is published, and rolling back."""

from dataclasses import asdict
from datetime import UTC
from typing import Any

import typer

from agent.interfaces.cli.output import JsonFlag, print_table, run_command, stdout
from include.settings import get_settings

app = typer.Typer(help="List, show, publish and roll back snapshots.", no_args_is_help=True)

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
    """Show one snapshot: its state, gates, expectations and null-rule ledger."""
    from include.quality import describe_snapshot
    from include.warehouse import Warehouse

    def work() -> dict[str, Any]:
        with Warehouse.from_settings(get_settings()).owner() as conn:
            return describe_snapshot(conn, snapshot_id)

    run_command(work, as_json=as_json, render=_render_snapshot)


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
