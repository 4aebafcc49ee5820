"""The `crime` command: its groups of commands and its entry point."""

import typer

from agent.interfaces.cli import ask, bench, doctor, ingest, simulate, snapshots, stack

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


def main() -> None:
    """Run the command line."""
    app()
