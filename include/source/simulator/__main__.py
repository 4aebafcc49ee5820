"""`python -m include.source.simulator`: serve a file of crimes or generated rows until ended."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from threading import Thread

import pyarrow as pa

from include.errors import PlatformError
from include.source.simulator.faults import FAULTS
from include.source.simulator.files import open_store
from include.source.simulator.generator import generate_store
from include.source.simulator.http import SiteServer
from include.source.simulator.site import Site
from include.source.simulator.store import RowStore


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; returns the exit code."""
    # The system's allocator gives memory back after a page; Arrow's own keeps it, a quarter more at the peak.
    pa.set_memory_pool(pa.system_memory_pool())
    options = _parser().parse_args(arguments)
    if options.tied:
        Thread(target=_end_with_input, name="tied", daemon=True).start()
    try:
        store = _store(options)
        if options.weeks:
            store.advance(options.weeks)
        site = Site(
            store,
            faults=options.fault,
            app_token=options.app_token,
            anonymous_per_minute=options.anonymous_per_minute,
            page_delay=options.page_delay,
        )
        server = SiteServer(site, port=options.port)
    except PlatformError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - a command line
        return error.exit_code
    # SIGTERM ends the loop below as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    told = {
        "url": f"http://127.0.0.1:{server.port}",
        "port": server.port,
        "pid": os.getpid(),
        "identity": store.identity,
        "rows": len(store),
    }
    print(json.dumps(told), flush=True)  # noqa: T201 - a command line
    if options.ready_file:
        partial = options.ready_file.with_suffix(".partial")
        partial.write_text(json.dumps(told))
        partial.replace(options.ready_file)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


def _end_with_input() -> None:
    """End this process when the one that holds the other end of its standard input is gone."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _store(options: argparse.Namespace) -> RowStore:
    if options.file is not None:
        return open_store(options.file)
    return generate_store(rows=options.rows, seed=options.seed, as_of=options.as_of)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m include.source.simulator", description=__doc__)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--file", type=Path, help="CSV, gzipped CSV or Parquet file of crimes")
    source.add_argument("--rows", type=int, default=200_000, help="rows to generate")
    parser.add_argument("--seed", type=int, default=7, help="seed of the generated rows")
    parser.add_argument("--as-of", type=date.fromisoformat, help="day of the newest incident")
    parser.add_argument("--weeks", type=int, default=0, help="weeks to let pass before serving")
    parser.add_argument("--port", type=int, default=0, help="port on the loopback interface, 0 = a free one")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME[:N]", help=", ".join(FAULTS))
    parser.add_argument("--app-token", help="the one application token that is accepted")
    parser.add_argument("--anonymous-per-minute", type=int, help="requests a minute without a token")
    parser.add_argument("--page-delay", type=float, default=0, help="seconds before each data page")
    parser.add_argument("--tied", action="store_true", help="end when the standard input is closed")
    parser.add_argument("--ready-file", type=Path, help="written as JSON once it serves")
    return parser


if __name__ == "__main__":
    sys.exit(main())
