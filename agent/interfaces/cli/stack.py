"""`crime demo`, `up`, `down`, `simulate`: the platform on this machine."""

from pathlib import Path
from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, plain, print_table, progress, run_command, stdout
from include.settings import get_settings


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(demo)
    app.command()(up)
    app.command()(down)
    app.command()(bootstrap)
    app.command()(simulate)


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
        return {"airflow": info.airflow_url, "passwords": info.passwords_file, "logs": info.log_dir}

    run_command(work, as_json=as_json, render=_facts)


def down(as_json: JsonFlag = False) -> None:
    """Stop everything `up` or `demo` started."""
    from agent.interfaces.stack import run_down

    run_command(lambda: {"stopped": list(run_down(get_settings()))}, as_json=as_json, render=_facts)


def bootstrap(as_json: JsonFlag = False) -> None:
    """Make or update database, roles, schemas and migrations of the warehouse, and Airflow's metadata database."""
    from agent.interfaces.stack import run_warehouse_bootstrap

    run_command(lambda: run_warehouse_bootstrap(get_settings()), as_json=as_json, render=_facts)


def simulate(
    rows: Annotated[int | None, typer.Option(min=1, max=8_640_000, help="Serve this many generated rows.")] = None,
    file: Annotated[Path | None, typer.Option(help="Serve the rows of a CSV or Parquet file.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = a free port.")] = 0,
    fault: Annotated[list[str] | None, typer.Option(help="Answer as a faulty source does; repeatable.")] = None,
) -> None:
    """Serve a simulated SODA 2.1 source until interrupted.

    Example: `crime simulate --rows 50000 --port 8099 --fault 429`
    """
    from include.source.simulator import run_simulator

    run_command(
        lambda: run_simulator(rows=rows, file=file, port=port, faults=tuple(fault or ())),
        as_json=False,
        render=lambda _: None,
    )


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
    print_table(
        ("null rule", "cells filled"),
        [(name, f"{cells:,}") for name, cells in sorted(summary.cells_imputed.items())],
    )
    metrics = ("scored", "vsr", "em", "ex_default", "ex_strict", "ex_lenient", "ex_robust")
    print_table(
        ("arm", *metrics),
        [(arm["arm"], *(_figure(arm["metrics"].get(name)) for name in metrics)) for arm in summary.arms],
    )
    stdout.print(f"report: {summary.report_path}", highlight=False, soft_wrap=True)
    stdout.print(f"Airflow: {summary.airflow_url} (passwords in {summary.passwords_file})", highlight=False)
    stdout.print(f"{summary.seconds:.0f} s; stop everything with: crime down", highlight=False)


def _figure(value: object) -> str:
    return f"{value:.1%}" if isinstance(value, float) else "" if value is None else str(value)
