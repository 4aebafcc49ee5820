"""Backup and restore of the operational record, the schema `ops`: what a new load of the source cannot bring back."""

import json
import os
import zipfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql

from include.errors import RefusedError, UsageError
from include.warehouse.connection import Warehouse
from include.warehouse.migrations import recorded_migrations
from include.warehouse.record import RecordTable, list_record_tables
from include.warehouse.sqlfiles import load_sql

_FORMAT = 1
_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class BackupResult:
    """One backup or restore. `rows` is by table; `forgotten` names restored snapshots whose tables are not here."""

    path: Path
    rows: dict[str, int]
    forgotten: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Manifest:
    format: int
    made_at: str
    migrations: list[int]
    columns: dict[str, list[str]]
    rows: dict[str, int]


def run_backup(warehouse: Warehouse, path: Path) -> BackupResult:
    """Write all tables of `ops`, as of one instant, into a ZIP file that only its user can read.

    Raises:
        UsageError: when the file exists or cannot be written.
    """
    if path.exists():
        raise UsageError(f"{path} exists", action="name a new file")
    draft = path.with_name(path.name + ".new")
    try:
        with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as stream:
            rows = _write(warehouse, stream)
        draft.rename(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}", action="name another file") from error
    return BackupResult(path=path, rows=rows)


def run_restore(warehouse: Warehouse, path: Path, *, replace: bool = False) -> BackupResult:
    """Fill `ops` from a backup, all or nothing, and mark as dropped the snapshots whose tables are not here.

    Args:
        warehouse: one that is bootstrapped, by this version of the code or a later one than the backup's.
        path: the backup.
        replace: whether a record that is not empty may be replaced.

    Raises:
        UsageError: when the file cannot be read or is damaged.
        RefusedError: when the record is not empty, or the backup was made by a later version.
    """
    try:
        with zipfile.ZipFile(path) as archive, warehouse.owner() as conn:
            manifest = _Manifest(**json.loads(archive.read(_MANIFEST)))
            tables = list_record_tables(conn)
            _check_fits(conn, manifest, tables)
            _empty(conn, tables, replace=replace)
            rows = {
                table.name: _read(conn, archive, manifest, table) for table in tables if table.name in manifest.rows
            }
            if rows != manifest.rows:
                raise ValueError(f"it gave the rows {rows} instead of {manifest.rows}")
            conn.execute(load_sql("ops/restart_identities.sql"))
            forgotten = [row[0] for row in conn.execute(load_sql("ops/forget_absent_snapshots.sql"))]
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is no sound backup: {error}", expected="a file of `crime ops backup`") from error
    return BackupResult(path=path, rows=rows, forgotten=tuple(forgotten))


def _write(warehouse: Warehouse, stream: IO[bytes]) -> dict[str, int]:
    rows: dict[str, int] = {}
    with warehouse.owner() as conn, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        tables = list_record_tables(conn)
        for table in tables:
            with archive.open(table.name, "w", force_zip64=True) as member, conn.cursor() as cursor:
                with cursor.copy(table.copy("TO STDOUT", table.columns)) as blocks:
                    for block in blocks:
                        member.write(block)
                rows[table.name] = cursor.rowcount
        manifest = _Manifest(
            format=_FORMAT,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            migrations=sorted(recorded_migrations(conn)),
            columns={table.name: list(table.columns) for table in tables},
            rows=rows,
        )
        archive.writestr(_MANIFEST, json.dumps(asdict(manifest), indent=2))
    return rows


def _check_fits(conn: psycopg.Connection, manifest: _Manifest, tables: list[RecordTable]) -> None:
    known = {table.name: set(table.columns) for table in tables}
    strange = [name for name, columns in manifest.columns.items() if not set(columns) <= known.get(name, set())]
    later = sorted(set(manifest.migrations) - set(recorded_migrations(conn)))
    if manifest.format != _FORMAT or later or strange:
        raise RefusedError(
            f"the backup is of a later version: format {manifest.format}, unknown migrations {later}, tables {strange}",
            expected="this version or an earlier one",
            action="restore with the version of the platform that made it",
        )


def _empty(conn: psycopg.Connection, tables: list[RecordTable], *, replace: bool) -> None:
    names = sql.SQL(", ").join(table.identifier for table in tables)
    conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(names))
    filled = [table.name for table in tables if table.is_filled(conn)]
    if filled and not replace:
        raise RefusedError(
            f"the record is not empty: {', '.join(filled)}",
            expected="an empty one",
            action="restore into a new database, or say that the record is to be replaced",
        )
    conn.execute(sql.SQL("TRUNCATE {}").format(names))


def _read(conn: psycopg.Connection, archive: zipfile.ZipFile, manifest: _Manifest, table: RecordTable) -> int:
    statement = table.copy("FROM STDIN", tuple(manifest.columns[table.name]))
    with archive.open(table.name) as member, conn.cursor() as cursor:
        with cursor.copy(statement) as copy:
            while block := member.read(1 << 20):
                copy.write(block)
        return cursor.rowcount
