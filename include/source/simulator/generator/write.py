"""Generated rows written as a CSV file of the API's form."""

import gzip
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from pathlib import Path
from typing import BinaryIO

from include.source.simulator.generator.facts import FIRST_YEAR
from include.source.simulator.generator.store import generate_store
from include.source.simulator.query import run_query
from include.source.simulator.render import render_csv
from include.source.simulator.request import parse_query
from include.source.simulator.scope import fields_of

_SELECT = ":updated_at,*"


def write_generated(
    target: Path | BinaryIO,
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
    with _open(target) as stream:
        for block in render_csv(answer):
            stream.write(block)
    return len(store)


def _open(target: Path | BinaryIO) -> AbstractContextManager[BinaryIO]:
    if not isinstance(target, Path):
        return nullcontext(target)
    if target.suffix == ".gz":
        return gzip.open(target, "wb", compresslevel=1)
    return target.open("wb")
