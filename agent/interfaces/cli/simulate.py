"""`crime simulate`: a simulated SODA source in the foreground."""

import signal
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.interfaces.cli.output import JsonFlag, plain, run_command, stdout
from include.errors import UsageError

DEFAULT_ROWS = 200_000


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(simulate)


def simulate(
    rows: Annotated[int | None, typer.Option(min=1_000, max=8_640_000, help="Serve this many generated rows.")] = None,
    file: Annotated[Path | None, typer.Option(help="Serve the rows of a CSV or Parquet file.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = a free port.")] = 0,
    fault: Annotated[list[str] | None, typer.Option(help="Answer as a faulty source does; repeatable.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Serve a simulated SODA 2.1 source until interrupted.

    Example: `crime simulate --rows 50000 --port 8099 --fault 429`
    """
    with ExitStack() as stack:
        run_command(
            lambda: _serve(stack, rows=rows, file=file, port=port, faults=tuple(fault or ())),
            as_json=as_json,
            render=_render,
        )
        _wait_for_end()


def _serve(
    stack: ExitStack, *, rows: int | None, file: Path | None, port: int, faults: tuple[str, ...]
) -> dict[str, Any]:
    from include.source.simulator import generate_store, open_store, serve

    if rows is not None and file is not None:
        raise UsageError("both --rows and --file were given", expected="one of them, or none")
    store = open_store(file) if file is not None else generate_store(rows=rows or DEFAULT_ROWS)
    handle = stack.enter_context(serve(store, port=port, faults=faults))
    return {"url": handle.url, "port": handle.port, "identity": handle.identity, "rows": len(store)}


def _render(served: dict[str, Any]) -> None:
    stdout.print(
        f"serving {served['rows']:,} rows ({plain(served['identity'])}) at {served['url']}; Ctrl-C ends it",
        highlight=False,
        soft_wrap=True,
    )


def _wait_for_end() -> None:
    # SIGTERM ends it as Ctrl-C does, so that the port is given back in order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        return
