"""The staged texts of landed pages and their typed form: SQL made from the list of source fields."""

import csv
import gzip
import hashlib
import io
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from include.dataset import SOURCE_FIELDS, UPDATED_AT, SourceField
from include.source import CHUNK_BYTES, Landed, LandingError, Page, page_records
from include.warehouse import load_sql

log = logging.getLogger(__name__)
_PLAIN = {
    "bigint": r"^-?[0-9]{1,18}$",
    "integer": r"^-?[0-9]{1,9}$",
    "smallint": r"^-?[0-9]{1,4}$",
    "double precision": r"^-?[0-9]{1,15}(\.[0-9]{1,20})?$",
    "boolean": r"^(true|false)$",
    "timestamp": r"^[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?$",
}
"""Texts that certainly cast; only the others are tried one by one."""


class Staging:
    """Two UNLOGGED tables of one run: the texts as landed, and their typed form.

    They are made and dropped in the merge's transaction, so that none is ever left over.
    """

    def __init__(self, conn: psycopg.Connection, run_id: str) -> None:
        self._conn = conn
        self._run_id = run_id
        self.staged = sql.Identifier("staging", f"{run_id}_text")
        self.typed = sql.Identifier("staging", f"{run_id}_typed")
        self.columns = sql.SQL(", ").join(sql.Identifier(field.raw_name) for field in SOURCE_FIELDS)

    def create(self) -> None:
        """Make the table of the texts."""
        columns = sql.SQL(", ").join(sql.SQL("{} text").format(sql.Identifier(field.name)) for field in SOURCE_FIELDS)
        self._conn.execute(sql.SQL("CREATE UNLOGGED TABLE {} ({})").format(self.staged, columns))

    def drop(self) -> None:
        """Drop both tables."""
        self._conn.execute(sql.SQL("DROP TABLE IF EXISTS {}, {}").format(self.staged, self.typed))

    def load(self, landed: Landed) -> int:
        """Copy the pages of a task and return the number of rows the server took.

        Raises:
            LandingError: when a page was damaged or removed since it landed.
        """
        return sum(self._load_page(landed.folder / page.file, page) for page in landed.pages)

    def type(self) -> bool:
        """Make the typed table; false when a value cannot be cast or a row cannot be kept, and nothing was made."""
        casts = sql.SQL(", ").join(
            sql.SQL("{}::{} AS {}").format(
                sql.Identifier(field.name), sql.SQL(field.raw_type), sql.Identifier(field.raw_name)
            )
            for field in SOURCE_FIELDS
        )
        hashed = sql.SQL(", ").join(sql.Identifier(field.raw_name) for field in hashed_fields())
        try:
            with self._conn.transaction():
                self._run("typed.sql", casts=casts, hashed=hashed)
        except psycopg.DataError as error:
            log.warning("a value cannot be cast: %s", error.diag.message_primary)
            return False
        without_id = sql.SQL("SELECT FROM {} WHERE id IS NULL LIMIT 1").format(self.typed)
        if self._conn.execute(without_id).fetchone() is None:
            return True
        self._conn.execute(sql.SQL("DROP TABLE {}").format(self.typed))
        return False

    def reject(self) -> int:
        """Move the rows that cannot be typed to `ops.rejected_row` and return their number."""
        checks = sql.SQL(", ").join(
            sql.SQL("({}, {}, {}, {}, {})").format(number, fault, column, value, reason)
            for number, (fault, column, value, reason) in enumerate(_faults())
        )
        return self._run("reject.sql", checks=checks)

    def keep_newest(self) -> int:
        """Reduce the typed rows to the newest per id and return how many were surplus."""
        return self._run("keep_newest.sql")

    def fill_empty(self) -> int:
        """Load the typed rows into `raw.crime`, which is empty, and return their number."""
        # Emptied in the transaction that fills it, a table needs no log of its rows where the server allows that.
        self._conn.execute("TRUNCATE raw.crime")
        self._conn.execute("ALTER TABLE raw.crime DROP CONSTRAINT crime_pkey")
        rows = self._run("fill_empty.sql")
        self._conn.execute("ALTER TABLE raw.crime ADD CONSTRAINT crime_pkey PRIMARY KEY (id)")
        self._conn.execute("ANALYZE raw.crime")
        return rows

    def merge(self) -> dict[str, int]:
        """Merge the typed rows into `raw.crime` and return their number by kind."""
        names = [field.raw_name for field in SOURCE_FIELDS]
        assignments = sql.SQL(", ").join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(n)) for n in names[1:])
        of_typed = sql.SQL(", ").join(sql.Identifier("t", n) for n in names)
        self._conn.execute(sql.SQL("ANALYZE {}").format(self.typed))
        cursor = self._conn.execute(self._query("merge.sql", assignments=assignments, of_typed=of_typed))
        return {kind: count for kind, count in cursor}

    def _load_page(self, path: Path, page: Page) -> int:
        is_json = path.name.endswith(".json.gz")
        names = sql.SQL(", ").join(map(sql.Identifier, page.header))
        command = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv, HEADER {}, FORCE_NULL ({}))").format(
            self.staged, names, sql.SQL("false" if is_json else "true"), names
        )
        body = _json_as_csv(path, page) if is_json else _unpacked(path, page)
        try:
            with self._conn.cursor() as cursor:
                with cursor.copy(command) as copy:
                    for chunk in body:
                        copy.write(chunk)
                return cursor.rowcount
        except (OSError, EOFError) as error:
            raise LandingError(
                f"{path} cannot be read: {error}", action="run again: its rows are pulled anew"
            ) from error
        return cursor.rowcount

    def _query(self, name: str, **parts: sql.Composable) -> sql.Composed:
        return sql.SQL(load_sql(f"ingest/{name}")).format(
            staged=self.staged, typed=self.typed, columns=self.columns, run_id=sql.Literal(self._run_id), **parts
        )

    def _run(self, name: str, **parts: sql.Composable) -> int:
        return self._conn.execute(self._query(name, **parts)).rowcount


def hashed_fields() -> Sequence[SourceField]:
    """Return the fields that make up the content of a row: neither `updated_on` nor `:updated_at`."""
    return [field for field in SOURCE_FIELDS if field is not UPDATED_AT and field.name != "updated_on"]


def _faults() -> Iterator[tuple[sql.Composable, ...]]:
    """Yield condition, column, value and reason of each way in which a row cannot be kept."""
    nothing = sql.SQL("NULL::text")
    yield sql.SQL("s.id IS NULL"), sql.Literal("id"), nothing, sql.Literal("the id is missing")
    for field in SOURCE_FIELDS:
        if field.raw_type == "text":
            continue
        value, kind = sql.Identifier("s", field.name), sql.Literal(field.raw_type)
        plain = sql.Literal(_PLAIN.get(field.raw_type, "^$"))
        condition = sql.SQL("CASE WHEN {0} IS NULL OR {0} ~ {1} THEN false ELSE NOT ops.is_castable({0}, {2}) END")
        yield condition.format(value, plain, kind), sql.Literal(field.name), value, sql.Literal(f"no {field.raw_type}")


def _unpacked(path: Path, page: Page) -> Iterator[bytes]:
    """Yield the body of a page, and see at its end that it is the one that was landed."""
    digest = hashlib.sha256()
    with gzip.open(path) as file:
        while chunk := file.read(CHUNK_BYTES * 4):
            digest.update(chunk)
            yield chunk
    if digest.hexdigest() != page.sha256:
        raise LandingError(f"{path} was changed since it landed", action="run again: its rows are pulled anew")


def _json_as_csv(path: Path, page: Page) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text)
    for record in page_records(path, page):
        writer.writerow(record)
        if text.tell() > CHUNK_BYTES:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()
