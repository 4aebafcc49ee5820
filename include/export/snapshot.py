"""A snapshot as Parquet files, one a year, for DuckDB, Spark, Trino or pandas."""

import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from include.dataset import DISCLAIMER, FACT, LOOKUPS, Table
from include.errors import TerminalError, UsageError
from include.export.parquet import PartedFiles, read_tables
from include.warehouse import Snapshot, Warehouse, require_snapshot

log = logging.getLogger(__name__)
FORMAT = 1
MANIFEST = "manifest.json"
_WORK_MEMORY = "128MB"


@dataclass(frozen=True)
class ExportResult:
    """One export. `files` are rows by path below `path`; `size` is in bytes."""

    snapshot_id: str
    path: Path
    row_count: int
    files: dict[str, int]
    size: int
    seconds: float


def run_export(
    warehouse: Warehouse, snapshot_id: str | None, *, out: Path, progress: Callable[[str], None] = log.info
) -> ExportResult:
    """Write the four tables of a snapshot and a manifest into a new folder, which appears when it is complete.

    Args:
        warehouse: where the snapshot is; it stays there while it is read.
        snapshot_id: None = the published one.
        out: the folder to make.
        progress: called with a line of text after each file.

    Raises:
        UsageError: when the folder exists or cannot be written, or there is no such snapshot.
        RefusedError: when the snapshot's tables are gone, or nothing is published.
    """
    started = time.monotonic()
    with warehouse.owner() as conn:
        snapshot = require_snapshot(conn, snapshot_id)
        with _new_folder(out) as draft:
            tables = sql.SQL(", ").join(sql.Identifier(snapshot.snapshot_id, t.name) for t in (FACT, *LOOKUPS))
            conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(tables))
            files = _write(conn, snapshot, draft, progress=progress)
            rows = sum(count for name, count in files.items() if _table_of(name) == FACT.name)
            if snapshot.row_count not in (None, rows):
                raise TerminalError(
                    f"{snapshot.snapshot_id} gave {rows:,} rows",
                    expected=f"{snapshot.row_count:,}, as recorded when it was built",
                    action="somebody changed its tables: build a new snapshot with `crime ingest --force`",
                )
            manifest = _manifest(snapshot, files)
            (draft / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            size = sum(path.stat().st_size for path in draft.rglob("*") if path.is_file())
    return ExportResult(snapshot.snapshot_id, out, rows, files, size, time.monotonic() - started)


def _write(
    conn: psycopg.Connection, snapshot: Snapshot, folder: Path, *, progress: Callable[[str], None]
) -> dict[str, int]:
    about = {"snapshot_id": snapshot.snapshot_id, "disclaimer": DISCLAIMER}
    files: dict[str, int] = {}
    for table in LOOKUPS:
        parts = PartedFiles(folder, table, about=about, name=f"{table.name}.parquet")
        files |= _copy(conn, snapshot, table, parts, order=table.key)
    # The sort spares one scan a year, and rows in the order of time let readers skip what they do not ask for.
    conn.execute("SELECT set_config('work_mem', %s, true), set_config('datestyle', 'ISO', true)", (_WORK_MEMORY,))
    (folder / FACT.name).mkdir()
    parts = PartedFiles(folder, FACT, about=about, name=f"{FACT.name}/{{}}.parquet", by="YEAR", progress=progress)
    return files | _copy(conn, snapshot, FACT, parts, order="YEAR", then=("INCIDENT_DATE", FACT.key))


def _copy(
    conn: psycopg.Connection,
    snapshot: Snapshot,
    table: Table,
    parts: PartedFiles,
    *,
    order: str,
    then: tuple[str, ...] = (),
) -> dict[str, int]:
    query = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT (FORMAT csv)").format(
        sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns),
        sql.Identifier(snapshot.snapshot_id, table.name),
        sql.SQL(", ").join(map(sql.Identifier, (order, *then))),
    )
    with parts, conn.cursor() as cursor, cursor.copy(query) as copy:
        for chunk in read_tables(copy, table):
            parts.write(chunk)
    return parts.rows


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """Yield a hidden folder beside the one to make, which takes its name at the end or is removed."""
    if out.exists() or out.is_symlink():
        raise UsageError(f"{out} exists", expected="a folder to make", action="name a new one with --out")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise UsageError(f"{out} cannot be made: {error.strerror}", action="name another folder with --out") from error
    try:
        draft.chmod(0o755)
        yield draft
        os.rename(draft, out)
    except OSError as error:
        raise UsageError(
            f"{out} cannot be written: {error.strerror or error}", action="free space, or use --out"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _manifest(snapshot: Snapshot, files: dict[str, int]) -> dict[str, Any]:
    def tell(moment: datetime | None) -> str | None:
        return moment.isoformat() if moment else None

    return {
        "format": FORMAT,
        "snapshot_id": snapshot.snapshot_id,
        "fingerprint": snapshot.fingerprint,
        "row_count": sum(rows for name, rows in files.items() if _table_of(name) == FACT.name),
        "oldest_incident": tell(snapshot.oldest_incident),
        "newest_incident": tell(snapshot.newest_incident),
        "built_at": tell(snapshot.built_at),
        "published_at": tell(snapshot.published_at),
        "exported_at": tell(datetime.now(UTC)),
        "disclaimer": DISCLAIMER,
        "tables": {
            table.name: {
                "description": table.description,
                "key": table.key,
                "files": {
                    name: rows
                    for name, rows in files.items()
                    if name.split("/")[0].removesuffix(".parquet") == table.name
                },
                "columns": {c.name: {"type": c.pg_type, "description": c.description} for c in table.columns},
            }
            for table in (FACT, *LOOKUPS)
        },
    }


def _table_of(file: str) -> str:
    return file.partition("/")[0].removesuffix(".parquet")
