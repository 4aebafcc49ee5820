"""The `crime` command: its groups of commands and its entry point."""

import sys
from collections.abc import Sequence

import typer
from typer._click.exceptions import UsageError as ParserError  # typer exports only its subclasses

from agent.interfaces.cli import ask, bench, doctor, ingest, ops, simulate, snapshots, stack
from agent.interfaces.cli.output import error_document, print_json
from include.errors import EXIT_FAILED, EXIT_USAGE, UsageError

app = typer.Typer(
    name="crime",
    help="The Chicago crime data platform: ingest, ask, benchmark, report.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
)
for module in (stack, simulate, ingest, ask, bench, doctor):
    module.register(app)
app.add_typer(snapshots.app, name="snapshots")
app.add_typer(ops.app, name="ops")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. With `--json`, what the parser refuses is a JSON document as well."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if "--json" not in words:
        app(args=words, prog_name="crime")
    try:
        code = app(args=words, prog_name="crime", standalone_mode=False)
    except ParserError as error:
        command = error.ctx.command_path if error.ctx else "crime"
        print_json({"error": error_document(UsageError(error.format_message(), action=f"{command} --help"))})
        sys.exit(EXIT_USAGE)
    except typer.Abort:
        sys.exit(EXIT_FAILED)
    sys.exit(code if isinstance(code, int) else 0)
