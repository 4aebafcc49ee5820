"""Opening a file of crimes as a row store: CSV, gzipped CSV or Parquet, portal or API headers."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from include.errors import UsageError
from include.source.simulator.fields import DATA_FIELDS
from include.source.simulator.parse import to_typed
from include.source.simulator.table import TableStore, compact, encoded

_BY_KEY = {field.title.lower().replace(" ", "_"): field.name for field in DATA_FIELDS}
_OPTIONAL = frozenset({"location", "year"})
_ACTION = "give a CSV (.csv, .csv.gz) or Parquet file of the crimes data set, with portal or API column names"


def open_store(file: Path) -> TableStore:
    """Read a file of crimes into memory, in blocks.

    Raises:
        UsageError: the file is missing, unreadable, empty or not a file of crimes.
    """
    if not file.is_file():
        raise UsageError(f"there is no file {file}", action=_ACTION)
    try:
        identity = f"file:sha256={_digest(file)}"
        columns = _load(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error}", action=_ACTION) from error
    except pa.ArrowException as error:
        raise UsageError(f"{file} is not a readable CSV or Parquet file: {error}", action=_ACTION) from error
    if not columns or len(columns["id"]) == 0:
        raise UsageError(f"{file} holds no rows", action=_ACTION)
    return TableStore(columns, identity=identity)


def _load(file: Path) -> dict[str, pa.Array]:
    chunks: dict[str, list[pa.Array]] = {}
    for batch in _batches(file):
        for source, name in _names(batch.schema.names, file).items():
            if name != "location":
                chunks.setdefault(name, []).append(encoded(name, to_typed(name, batch.column(source), file=file)))
    columns = {name: compact(name, chunks.pop(name)) for name in list(chunks)}
    if columns and "year" not in columns:
        columns["year"] = pc.year(columns["date"]).cast(pa.int16())
    pa.default_memory_pool().release_unused()
    return columns


def _batches(file: Path) -> Iterator[pa.RecordBatch]:
    with file.open("rb") as stream:
        magic = stream.read(4)
    if magic == b"PAR1":
        # A row group at a time: the whole file as text would be several times its compact form.
        yield from pq.ParquetFile(file).iter_batches(batch_size=65_536)
        return
    if not magic:
        return
    with pa.input_stream(str(file), compression="gzip" if magic[:2] == b"\x1f\x8b" else None) as source:
        yield from pacsv.open_csv(
            source,
            read_options=pacsv.ReadOptions(block_size=8 * 2**20),
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                default_column_type=pa.string(), strings_can_be_null=True, null_values=[""]
            ),
        )


def _names(header: list[str], file: Path) -> dict[str, str]:
    """Which column of the file is which field."""
    names: dict[str, str] = {}
    for source in header:
        key = source.strip().lstrip("\ufeff").lower().replace(" ", "_")
        if key == ":updated_at":
            names[source] = key
        elif key in _BY_KEY:
            names[source] = _BY_KEY[key]
    missing = [f.name for f in DATA_FIELDS if f.name not in names.values() and f.name not in _OPTIONAL]
    if missing:
        raise UsageError(
            f"{file} is not a file of crimes: it lacks {', '.join(missing)}",
            expected="the columns of the City's export (ID, Case Number ...) or of its API (id, case_number ...)",
            action=_ACTION,
        )
    return names


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
