"""Numbered migrations of the operational schemas: `sql/ops/NNNN_name.sql`, recorded in `ops.schema_version`.

Other files of that directory are queries and no migrations.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg

from include.errors import TerminalError
from include.settings import SQL_DIR
from include.warehouse.connection import Warehouse

_NAME = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
_LOCK = 7_403_102


@dataclass(frozen=True)
class Migration:
    """One numbered file. `digest` is the SHA-256 of its bytes."""

    version: int
    name: str
    digest: str
    text: LiteralString


def run_migrations(warehouse: Warehouse, *, directory: Path = SQL_DIR / "ops") -> list[int]:
    """Apply the migrations that are missing, each in a transaction of its own, and return their numbers.

    Raises:
        TerminalError: when an applied file was changed afterwards, or the database is newer than the code.
    """
    migrations = list_migrations(directory)
    applied: list[int] = []
    for migration in migrations:
        with warehouse.owner() as conn:
            conn.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            missing = plan_migrations(migrations, recorded_migrations(conn))
            if not missing:
                break
            if migration in missing:
                conn.execute(migration.text)
                conn.execute(
                    "INSERT INTO ops.schema_version (version, name, digest) VALUES (%s, %s, %s)",
                    (migration.version, migration.name, migration.digest),
                )
                applied.append(migration.version)
    return applied


def plan_migrations(migrations: list[Migration], recorded: dict[int, str]) -> list[Migration]:
    """Return the migrations that are not recorded.

    Raises:
        TerminalError: as `run_migrations`.
    """
    known = {migration.version: migration for migration in migrations}
    for version, digest in sorted(recorded.items()):
        if version not in known:
            raise TerminalError(
                f"the database has migration {version:04d}, which this version of the code does not know",
                expected=f"at most {max(known, default=0):04d}",
                action="run the version of the code that made it, or a later one",
            )
        if known[version].digest != digest:
            raise TerminalError(
                f"{known[version].name} was changed after it was applied",
                expected="an unchanged file: a change to the schema is a new migration",
                action="restore the file and write the change as a new number",
            )
    return [migration for migration in migrations if migration.version not in recorded]


def list_migrations(directory: Path) -> list[Migration]:
    """Return the migrations of a directory in their order.

    Raises:
        TerminalError: when a name is malformed or a number occurs twice.
    """
    migrations: dict[int, Migration] = {}
    for path in sorted(directory.glob("[0-9]*.sql")):
        match = _NAME.match(path.name)
        if match is None or int(match[1]) in migrations:
            raise TerminalError(
                f"{path.name} is no migration of its own number", expected="NNNN_name.sql, each number once"
            )
        content = path.read_bytes()
        migrations[int(match[1])] = Migration(
            version=int(match[1]),
            name=path.name,
            digest=hashlib.sha256(content).hexdigest(),
            text=content.decode("utf-8"),
        )
    return list(migrations.values())


def recorded_migrations(conn: psycopg.Connection) -> dict[int, str]:
    """Return number and digest of each applied migration."""
    return dict(conn.execute("SELECT version, digest FROM ops.schema_version").fetchall())
