"""`crime bench` and `crime report`: the figures and the page made of them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, print_arms, progress, run_command, stdout
from include.settings import get_settings


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(bench)
    app.command()(report)


def bench(
    strategy: Annotated[list[str] | None, typer.Option(help="Strategy of an arm; repeatable.")] = None,
    stage: Annotated[list[str] | None, typer.Option(help="Prompt stage of the arms; repeatable.")] = None,
    relevance: Annotated[str | None, typer.Option(help="Relevance rule of the arms.")] = None,
    arms: Annotated[str | None, typer.Option(help="A named arm set instead.")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, max=20, help="None: the arm set's own, or 1.")] = None,
    questions: Annotated[Path | None, typer.Option(help="Another question set in the same format.")] = None,
    snapshot: Annotated[str | None, typer.Option(help="Run on this snapshot instead of the published one.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Run the benchmark and print its figures.

    Example: `crime bench --strategy semantic`
    """

    def work() -> Any:
        from agent.benchmark import bench_request, load_questions, run_benchmark
        from include.warehouse import Warehouse

        settings = get_settings()
        load_questions(questions)  # a broken file is met before the warehouse is asked
        request = bench_request(
            settings,
            strategies=tuple(strategy or ()),
            stages=tuple(stage or ()),
            relevance=relevance,
            arms=arms,
            repeats=repeats,
            questions=questions,
            snapshot_id=snapshot,
        )
        return run_benchmark(Warehouse.from_settings(settings), request, settings=settings, progress=progress)

    run_command(work, as_json=as_json, render=_render_bench)


def report(
    out: Annotated[Path | None, typer.Option(help="Folder for the page and its JSON.")] = None,
    send: Annotated[bool, typer.Option("--send", help="Also deliver it by e-mail and webhook.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Build the report of the newest benchmark."""

    def work() -> dict[str, Any]:
        from agent.reports import build_report, deliver_report
        from include.warehouse import Warehouse

        settings = get_settings()
        warehouse = Warehouse.from_settings(settings)
        built = build_report(warehouse, settings=settings, out_dir=out or settings.report_dir)
        delivered = deliver_report(warehouse, built.report_id, settings=settings) if send else None
        return {**built.to_json(), "delivered": delivered}

    run_command(
        work,
        as_json=as_json,
        render=lambda found: stdout.print(f"report: {found['path']}", highlight=False, soft_wrap=True),
    )


def _render_bench(found: Any) -> None:
    document = found.to_json()
    stdout.print(f"snapshot {document['snapshot_id']}, questions {document['question_set']}", highlight=False)
    print_arms(document["arms"])
