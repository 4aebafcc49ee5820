"""`crime ops`: backup and restore of the operational record."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, plain, print_table, run_command, stdout
from include.settings import get_settings

app = typer.Typer(help="Back up and restore the record of runs, benchmarks and audits.", no_args_is_help=True)


@app.command("backup")
def backup_command(
    path: Annotated[Path, typer.Argument(help="The new ZIP file.")],
    as_json: JsonFlag = False,
) -> None:
    """Write all tables of `ops`, as of one instant, into a file that only you can read.

    Example: `crime ops backup record.zip`
    """
    from include.warehouse import Warehouse, run_backup

    run_command(
        lambda: _json(run_backup(Warehouse.from_settings(get_settings()), path)), as_json=as_json, render=_render
    )


@app.command("restore")
def restore_command(
    path: Annotated[Path, typer.Argument(help="A file of `crime ops backup`.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a record that is not empty.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Fill `ops` from a backup, all or nothing; snapshots whose tables are not here are marked as dropped.

    Example: `crime ops restore record.zip`
    """
    from include.warehouse import Warehouse, run_restore

    run_command(
        lambda: _json(run_restore(Warehouse.from_settings(get_settings()), path, replace=replace)),
        as_json=as_json,
        render=_render,
    )


def _json(result: Any) -> dict[str, Any]:
    return asdict(result) | {"path": str(result.path)}


def _render(found: dict[str, Any]) -> None:
    stdout.print(plain(found["path"]), highlight=False, soft_wrap=True)
    print_table(("table", "rows"), [(name, f"{rows:,}") for name, rows in found["rows"].items()])
    if found["forgotten"]:
        stdout.print(f"without tables here: {', '.join(found['forgotten'])}", highlight=False)
