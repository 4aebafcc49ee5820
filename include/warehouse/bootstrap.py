"""Database, schemas, roles, privileges and migrations: everything a warehouse needs before the first row."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from psycopg import sql

from include.errors import TerminalError, UsageError
from include.settings import Settings
from include.warehouse.binaries import MIN_VERSION
from include.warehouse.connection import Warehouse, connect
from include.warehouse.migrations import run_migrations
from include.warehouse.roles import ANALYST, OWNER, READER, Passwords, with_login
from include.warehouse.sqlfiles import load_sql

logger = logging.getLogger(__name__)

_CLUSTER_LOCK = 7_403_101
"""Roles are shared by all databases of a server and cannot be altered by two sessions at once."""


def run_bootstrap(admin_url: str, *, database: str, passwords: Passwords) -> Warehouse:
    """Create or bring up to date the roles, the database, its schemas and privileges, and the `ops` migrations.

    Idempotent, and safe to run from several processes at once.

    Args:
        admin_url: a superuser's URL (a role with CREATEROLE and CREATEDB does, with a warning for what it cannot set).
        database: name of the database.
        passwords: set anew for each role.

    Raises:
        TerminalError: when the server is too old, or an existing database has another encoding or collation.
        WarehouseDownError: when the server cannot be reached.
    """
    with _cluster_lock(admin_url) as admin:
        _check_version(admin)
        admin.execute(load_sql("bootstrap/roles.sql"))
        for role, password in ((OWNER, passwords.owner), (READER, passwords.reader), (ANALYST, passwords.analyst)):
            set_password(admin, role, password)
        ensure_database(admin, database, owner=OWNER)
        with connect(with_login(admin_url, database=database)) as conn:
            conn.add_notice_handler(_log_warning)
            for name in ("bootstrap/database.sql", "bootstrap/functions.sql"):
                conn.execute(load_sql(name))
        warehouse = passwords.warehouse(admin_url, database=database)
        run_migrations(warehouse)
    return warehouse


def run_bootstrap_role(admin_url: str, *, role: str, password: str, database: str) -> str:
    """Create a login role that owns a database of its own (Airflow's metadata) and return its URL. Idempotent."""
    with _cluster_lock(admin_url) as admin:
        if admin.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).rowcount == 0:
            admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        set_password(admin, role, password)
        ensure_database(admin, database, owner=role)
    return with_login(admin_url, user=role, password=password, database=database)


def prepare_warehouse(settings: Settings) -> Warehouse:
    """Bring the warehouse of the settings to the state this version needs, starting the embedded server if it is used.

    With `owner_url` and `admin_url` the whole bootstrap runs with the passwords found in the URLs; with `owner_url`
    alone only the migrations do.

    Raises:
        UsageError: when a URL of the three roles is missing or names another role.
    """
    from include.warehouse.embedded import EmbeddedServer

    if settings.owner_url is None:
        server = EmbeddedServer(settings.home, port=settings.embedded_port)
        info = server.start()
        return run_bootstrap(info.admin_url, database=settings.database, passwords=server.passwords())
    warehouse = Warehouse.from_settings(settings)
    if settings.admin_url is not None:
        passwords = Passwords(
            owner=_password_in(warehouse.owner_url, OWNER),
            reader=_password_in(warehouse.reader_url, READER),
            analyst=_password_in(warehouse.analyst_url, ANALYST),
        )
        run_bootstrap(settings.admin_url, database=settings.database, passwords=passwords)
    else:
        run_migrations(warehouse)
    return warehouse


def ensure_database(admin: psycopg.Connection, database: str, *, owner: str) -> None:
    """Create a UTF8 database with C collation, or check that the existing one has both.

    Raises:
        TerminalError: when it has not.
    """
    row = admin.execute(
        "SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database WHERE datname = %s", (database,)
    ).fetchone()
    if row is None:
        text: LiteralString = (
            "CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        admin.execute(sql.SQL(text).format(sql.Identifier(database), sql.Identifier(owner)))
    elif row != ("UTF8", "C", "C"):
        raise TerminalError(
            f"database {database} has encoding {row[0]}, collation {row[1]}, character type {row[2]}",
            expected="UTF8, C, C (other collations sort text many times slower)",
            action="give the warehouse a database of its own: set CRIME_DATABASE to a name that does not exist yet",
        )


def set_password(admin: psycopg.Connection, role: str, password: str) -> None:
    """Set a role's password; the server stores its scram verifier."""
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
    with admin.transaction():
        admin.execute("SET LOCAL password_encryption = 'scram-sha-256'")
        admin.execute(statement)


@contextmanager
def _cluster_lock(admin_url: str) -> Iterator[psycopg.Connection]:
    with connect(admin_url, autocommit=True) as admin:
        admin.add_notice_handler(_log_warning)
        admin.execute("SELECT pg_advisory_lock(%s)", (_CLUSTER_LOCK,))
        yield admin


def _log_warning(notice: psycopg.errors.Diagnostic) -> None:
    if notice.severity_nonlocalized == "WARNING":
        logger.warning("bootstrap: %s", notice.message_primary)


def _check_version(conn: psycopg.Connection) -> None:
    major = conn.info.server_version // 10_000
    if major < MIN_VERSION:
        raise TerminalError(
            f"the server is PostgreSQL {major}", expected=f"{MIN_VERSION} or later", action="upgrade the server"
        )


def _password_in(url: str, role: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(url) if url else {}
    if parts.get("user") != role or not parts.get("password"):
        raise UsageError(
            f"the warehouse's URL for {role} names the role {parts.get('user', '(none)')!r}"
            f"{'' if parts.get('password') else ' without a password'}",
            expected=f"postgresql://{role}:PASSWORD@HOST:PORT/DATABASE",
            action="set CRIME_OWNER_URL, CRIME_READER_URL and CRIME_ANALYST_URL",
        )
    return str(parts["password"])
