"""`crime demo`, `up`, `down`, `bootstrap`: the platform on this machine."""

from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, plain, print_arms, print_table, progress, run_command, stdout
from include.settings import get_settings


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(demo)
    app.command()(up)
    app.command()(down)
    app.command()(bootstrap)


def demo(
    rows: Annotated[int, typer.Option(min=10_000, max=8_640_000, help="Generated rows of the first load.")] = 200_000,
    as_json: JsonFlag = False,
) -> None:
    """Run the whole chain in Airflow on generated rows: ingest, benchmark, report. Leaves it running: `crime down`."""
    from agent.interfaces.stack import run_demo

    run_command(lambda: run_demo(rows, settings=get_settings(), progress=progress), as_json=as_json, render=_demo)


def up(as_json: JsonFlag = False) -> None:
    """Start the embedded PostgreSQL and Airflow with all schedules, and leave them running."""
    from agent.interfaces.stack import run_up

    def work() -> dict[str, str]:
        info = run_up(get_settings(), progress=progress)
        return {
            "airflow": info.airflow_url,
            "passwords": info.passwords_file,
            "logs": info.log_dir,
            "postgresql log": info.postgresql_log,
        }

    run_command(work, as_json=as_json, render=_facts)


def down(
    purge: Annotated[bool, typer.Option("--purge", help="Also delete the embedded server and all its data.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Stop everything `up` or `demo` started."""
    from agent.interfaces.stack import run_down

    run_command(lambda: {"stopped": list(run_down(get_settings(), purge=purge))}, as_json=as_json, render=_facts)


def bootstrap(as_json: JsonFlag = False) -> None:
    """Make or update database, roles, schemas and migrations of the warehouse, and Airflow's metadata database."""
    from agent.interfaces.stack import run_warehouse_bootstrap

    run_command(lambda: run_warehouse_bootstrap(get_settings()), as_json=as_json, render=_facts)


def _facts(facts: dict[str, Any]) -> None:
    for name, value in facts.items():
        shown = ", ".join(value) or "nothing ran" if isinstance(value, list) else value
        stdout.print(f"{name}: {plain(shown)}", highlight=False)


def _demo(summary: Any) -> None:
    stdout.print(
        f"snapshot {summary.snapshot_id}: {summary.rows_received:,} rows in ({summary.mode}), "
        f"{summary.rows_inserted:,} new, {summary.rows_updated:,} changed, {summary.rows_deleted:,} deleted, "
        f"{summary.rows_published:,} published, newest incident {summary.newest_incident}",
        highlight=False,
    )
    filled = [(name, f"{cells:,}") for name, cells in sorted(summary.cells_imputed.items())]
    print_table(("null rule", "cells filled"), filled)
    print_arms([{"name": arm["arm"], **arm["metrics"]} for arm in summary.arms])
    stdout.print(f"report: {summary.report_path}", highlight=False, soft_wrap=True)
    stdout.print(
        f"Airflow: {summary.airflow_url} (passwords in {summary.passwords_file})", highlight=False, soft_wrap=True
    )
    stdout.print(f"{summary.seconds:.0f} s; stop everything with: crime down", highlight=False)
