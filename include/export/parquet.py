"""Parquet files made of the CSV of a COPY, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from include.dataset import Table

CHUNK_ROWS = 122_880
"""Rows parsed at a time, and the most of a row group; DuckDB's own size."""
_TYPES = {
    "bigint": pa.int64(),
    "integer": pa.int32(),
    "smallint": pa.int16(),
    "double precision": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "timestamp": pa.timestamp("us"),
}


def read_tables(lines: Iterable[Any], table: Table) -> Iterator[pa.Table]:
    """Yield the rows of a COPY TO in CSV, which sends one message a row, as Arrow tables of the table's types."""
    schema = arrow_schema(table)
    buffer: list[bytes] = []
    for line in lines:
        buffer.append(bytes(line))
        if len(buffer) == CHUNK_ROWS:
            yield _parse(buffer, schema)
            buffer = []
    if buffer:
        yield _parse(buffer, schema)


def arrow_schema(table: Table, *, about: Mapping[str, str] | None = None) -> pa.Schema:
    """Return the Arrow schema of a table, with its descriptions."""
    return pa.schema(
        [
            pa.field(
                column.name,
                _TYPES[column.pg_type],
                nullable=column.nullable and column.name != table.key,
                metadata={"description": column.description},
            )
            for column in table.columns
        ],
        metadata={"description": table.description, **(about or {})},
    )


class PartedFiles:
    """Parquet files of a table, a new one at each new value of a column, whose values must come in order.

    `name` has `{}` for the value.

    Attributes:
        rows: number of rows by file name.
    """

    def __init__(
        self,
        folder: Path,
        table: Table,
        *,
        about: Mapping[str, str],
        name: str,
        by: str | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.rows: dict[str, int] = {}
        self._folder = folder
        self._schema = arrow_schema(table, about=about)
        self._text = [column.name for column in table.columns if column.pg_type == "text"]
        self._name = name
        self._by = by
        self._progress = progress
        self._writer: pq.ParquetWriter | None = None
        self._open_name: str | None = None

    def __enter__(self) -> "PartedFiles":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def write(self, rows: pa.Table) -> None:
        """Append rows."""
        if self._by is None:
            self._append(self._name, rows)
            return
        values = rows[self._by]
        for value in sorted(pc.unique(values).to_pylist()):
            self._append(self._name.format(value), rows.filter(pc.equal(values, value)))

    def _append(self, name: str, rows: pa.Table) -> None:
        if name != self._open_name:
            self._close()
            if name in self.rows:
                raise ValueError(f"the rows of {name} do not come in order")
            self._open_name = name
            self._writer = pq.ParquetWriter(
                self._folder / name, self._schema, compression="zstd", use_dictionary=self._text
            )
        assert self._writer is not None
        self._writer.write_table(rows.cast(self._schema), row_group_size=CHUNK_ROWS)
        self.rows[name] = self.rows.get(name, 0) + rows.num_rows

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            if self._progress:
                self._progress(f"{self._open_name}: {self.rows[str(self._open_name)]:,} rows")


def _parse(lines: list[bytes], schema: pa.Schema) -> pa.Table:
    # In COPY's CSV an empty text is quoted and a null is not.
    return pa_csv.read_csv(
        pa.BufferReader(b"".join(lines)),
        read_options=pa_csv.ReadOptions(column_names=schema.names, use_threads=False),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types={field.name: field.type for field in schema},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        ),
    )
