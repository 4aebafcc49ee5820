"""How every command speaks: results on standard output, everything else on standard error, one exit code a kind of end.

With `--json` standard output carries exactly one JSON document, an error included.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from include.errors import PlatformError, TerminalError

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

FIGURE = re.compile(r"(-?[\d,]+(\.\d+)?%?)?")
FIGURES = {
    "scored": "asked",
    "vsr": "VSR",
    "em": "EM",
    "ex_default": "EX",
    "ex_strict": "strict",
    "ex_lenient": "lenient",
    "ex_robust": "robust",
}

stdout = Console()
stderr = Console(stderr=True, highlight=False)


def progress(text: str) -> None:
    """Print a step of long work on standard error."""
    stderr.print(printable(text), markup=False)


def run_command(
    work: Callable[[], Any],
    *,
    as_json: bool,
    render: Callable[[Any], None],
    exit_code: Callable[[Any], int] | None = None,
) -> None:
    """Do the work, print its result, and end with the right exit code.

    Args:
        work: does everything and returns the result; `to_json` of it, if there is one, makes the document.
        as_json: print the document instead of rendering.
        render: prints the result for a person.
        exit_code: the exit code a result stands for, 0 if not given.
    """
    try:
        result = work()
    except PlatformError as error:
        _fail(error, as_json=as_json)
    except OSError as error:
        # A full disk or a folder that may not be written can show up anywhere; what has no errno is no such thing.
        if error.errno is None:
            raise
        _fail(_of_the_machine(error), as_json=as_json)
    if as_json:
        print_json(result)
    else:
        render(result)
    code = exit_code(result) if exit_code else 0
    if code:
        raise typer.Exit(code)


def print_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    if hasattr(value, "to_json"):
        document = value.to_json()
    else:
        document = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    sys.stdout.write(json.dumps(document, indent=2, default=str, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; cells are shown as text, never as markup or terminal control codes. Numbers stand to the right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for number, column in enumerate(columns):
        numeric = bool(rows) and all(_is_figure(row[number]) for row in rows)
        table.add_column(plain(column), overflow="fold", justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(plain(cell) for cell in row))
    stdout.print(table)


def share(value: object) -> str:
    """Return a rate from 0 to 1 as a percentage, other values as text; nothing for None."""
    return f"{value:.1%}" if isinstance(value, float) else plain(value)


def print_arms(arms: Sequence[Mapping[str, Any]]) -> None:
    """Print the figures of benchmark arms; each is a mapping with `name` and the figures."""
    rows = [(arm["name"], *(share(arm.get(name)) for name in FIGURES)) for arm in arms]
    print_table(("arm", *FIGURES.values()), rows)


def plain(value: object) -> str:
    """Return a value as printable text for `Console.print`: markup escaped, control characters shown as escapes."""
    from rich.markup import escape

    return escape(printable(value))


def printable(value: object) -> str:
    """Return a value as text in which control characters are shown as escapes, line ends apart."""
    text = "" if value is None else str(value)
    return "".join(ch if ch.isprintable() or ch == "\n" else repr(ch)[1:-1] for ch in text)


def _is_figure(cell: object) -> bool:
    return isinstance(cell, int | float | Decimal) or FIGURE.fullmatch(str("" if cell is None else cell)) is not None


def _fail(error: PlatformError, *, as_json: bool) -> None:
    if as_json:
        print_json({"error": error_document(error)})
    else:
        stderr.print(f"error: {printable(error)}", markup=False, style="red", soft_wrap=True)
    raise typer.Exit(type(error).exit_code) from error


def _of_the_machine(error: OSError) -> TerminalError:
    return TerminalError(
        f"{error.filename or 'the machine'}: {error.strerror}",
        action="mend the place named, or set CRIME_HOME to a folder that can be written",
    )


def error_document(error: PlatformError) -> dict[str, str]:
    """Return the error as JSON values."""
    return {
        "kind": type(error).__name__,
        "seen": error.seen,
        "expected": error.expected,
        "action": error.action,
    }
