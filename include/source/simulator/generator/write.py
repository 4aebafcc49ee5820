"""Generated rows written as a CSV file of the API's form."""

import gzip
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import IO, cast

from include.source.simulator.generator.facts import FIRST_YEAR
from include.source.simulator.generator.store import generate_store
from include.source.simulator.query import run_query
from include.source.simulator.render import render_csv
from include.source.simulator.request import parse_query
from include.source.simulator.scope import fields_of

_SELECT = ":updated_at,*"


def write_generated(
    target: Path | IO[bytes],
    *,
    rows: int,
    seed: int = 7,
    years: tuple[int, int | None] = (FIRST_YEAR, None),
    as_of: date | None = None,
) -> int:
    """Write generated rows as CSV (gzipped for a name ending in .gz), all fields and `:updated_at`; returns the count.

    Raises:
        UsageError: a size or years out of range.
        OSError: the file cannot be written.
    """
    store = generate_store(rows=rows, seed=seed, years=years, as_of=as_of)
    query = parse_query({"$select": _SELECT, "$limit": str(len(store)), "$order": "id"}, fields_of(store))
    answer = run_query(store, query, with_regions=False)
    with ExitStack() as stack:
        stream: IO[bytes] = target if not isinstance(target, Path) else stack.enter_context(target.open("wb"))
        if isinstance(target, Path) and target.suffix == ".gz":
            packed = gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1, mtime=0)
            stream = cast(IO[bytes], stack.enter_context(packed))
        for block in render_csv(answer):
            stream.write(block)
    return len(store)
