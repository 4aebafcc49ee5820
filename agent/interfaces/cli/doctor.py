"""`crime doctor`: what a newcomer may have wrong, and the fix."""

from typing import Any

import typer

from agent.interfaces.cli.output import JsonFlag, print_table, run_command
from include.errors import EXIT_REFUSED
from include.settings import get_settings


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(doctor)


def doctor(as_json: JsonFlag = False) -> None:
    """Check Python, PostgreSQL, the warehouse, the agent's role, keys and disk; exit 3 when one is wrong."""
    from agent.interfaces.checkup import run_checkup

    run_command(
        lambda: run_checkup(get_settings()),
        as_json=as_json,
        render=_render,
        exit_code=lambda checkup: 0 if checkup.ok else EXIT_REFUSED,
    )


def _render(checkup: Any) -> None:
    rows = [(f.name, "ok" if f.ok else "WRONG", f.seen, "" if f.ok else f.action) for f in checkup.findings]
    print_table(("check", "verdict", "seen", "to do"), rows)
