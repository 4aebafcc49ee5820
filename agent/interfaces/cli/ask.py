"""`crime ask` and `crime sql`: questions in English and in SQL, both through the guard."""

from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, plain, print_table, run_command, stdout
from include.errors import EXIT_FAILED, EXIT_REFUSED, UsageError
from include.settings import get_settings

SHOWN_ROWS = 40


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(ask)
    app.command()(sql)


def ask(
    text: Annotated[str, typer.Argument(help="The question, in English.")],
    strategy: Annotated[str | None, typer.Option(help="agent_1, agent_2 or semantic.")] = None,
    stage: Annotated[str | None, typer.Option(help="Prompt stage 1 to 4, or limit10.")] = None,
    relevance: Annotated[str | None, typer.Option(help="Relevance rule: paper or vocabulary.")] = None,
    snapshot: Annotated[str | None, typer.Option(help="Ask this snapshot instead of the published one.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also print the trace.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Answer a question from the published snapshot.

    Example: `crime ask "How many thefts were there in 2017?"`
    """

    def work() -> Any:
        from agent.arms import choose_arm
        from agent.ask import ask as run_ask
        from include.warehouse import Warehouse

        settings = get_settings()
        arm = choose_arm(settings, strategy=strategy, stage=stage, relevance=relevance)
        return run_ask(
            text, arm=arm, warehouse=Warehouse.from_settings(settings), settings=settings, snapshot_id=snapshot
        )

    run_command(
        work, as_json=as_json, render=lambda asked: _render_asked(asked, explain=explain), exit_code=_asked_code
    )


def sql(
    text: Annotated[str, typer.Argument(help="One SELECT over the four tables.")],
    snapshot: Annotated[str | None, typer.Option(help="Query this snapshot instead of the published one.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Run a SELECT through the guard, read-only.

    Example: `crime sql 'SELECT "YEAR", count(*) FROM crime_incidents GROUP BY 1 ORDER BY 1'`
    """

    def work() -> Any:
        from agent.answered import json_value
        from agent.guard import Caller, Guard, Limits
        from include.warehouse import Warehouse, require_snapshot

        if not text.strip():
            raise UsageError("the SQL is empty", expected="one SELECT statement")
        settings = get_settings()
        warehouse = Warehouse.from_settings(settings)
        with warehouse.owner() as conn:
            pinned = require_snapshot(conn, snapshot)
        with Guard(warehouse, settings=settings) as guard:
            result = guard.execute(
                text,
                schema=pinned.snapshot_id,
                caller=Caller(interface="cli", node="sql"),
                limits=Limits.for_ask(settings),
            )
        return {
            "columns": list(result.columns),
            "rows": [[json_value(cell) for cell in row] for row in result.rows],
            "row_count": result.row_count,
            "truncated": result.truncated,
            "ms": round(result.ms, 1),
            "snapshot_id": result.snapshot_id,
        }

    run_command(work, as_json=as_json, render=_render_result)


def _asked_code(asked: Any) -> int:
    codes = {"refused": EXIT_REFUSED, "invalid": EXIT_FAILED, "infrastructure": EXIT_FAILED}
    return codes.get(asked.outcome, 0)


def _render_asked(asked: Any, *, explain: bool) -> None:
    stdout.print(plain(asked.answer), highlight=False)
    if asked.understood:
        stdout.print(f"understood: {plain(asked.understood)}", style="dim", highlight=False)
    if asked.rows:
        print_table(tuple(asked.columns), [tuple(row) for row in asked.rows[:SHOWN_ROWS]])
        _note_cut(len(asked.rows), truncated=asked.truncated)
    if asked.sql:
        stdout.print(plain(asked.sql), style="cyan", highlight=False)
    stdout.print(f"snapshot {asked.snapshot_id}, strategy {asked.strategy}, {asked.ms:.0f} ms", style="dim")
    if explain:
        for step in asked.trace:
            stdout.print(f"- {plain(step)}", highlight=False)


def _render_result(result: dict[str, Any]) -> None:
    print_table(result["columns"], result["rows"][:SHOWN_ROWS])
    _note_cut(len(result["rows"]), truncated=result["truncated"])


def _note_cut(rows: int, *, truncated: bool) -> None:
    if truncated:
        stdout.print("the result was cut at the row or byte limit: totals over it would be wrong", style="yellow")
    if rows > SHOWN_ROWS:
        stdout.print(f"{SHOWN_ROWS} of {rows:,} rows shown; --json prints all", style="dim")
