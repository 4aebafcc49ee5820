"""What `crime doctor` finds out about a warehouse."""

from dataclasses import dataclass

import psycopg

from include.errors import PlatformError
from include.settings import SQL_DIR
from include.warehouse.binaries import MIN_VERSION
from include.warehouse.connection import Warehouse, address
from include.warehouse.migrations import list_migrations, plan_migrations, recorded_migrations
from include.warehouse.snapshots import TABLE_NAMES, published_snapshot
from include.warehouse.sqlfiles import load_sql


@dataclass(frozen=True)
class Finding:
    """One checked fact. `action` says what to do when it is not `ok`."""

    name: str
    ok: bool
    seen: str
    expected: str
    action: str = ""


def check_warehouse(warehouse: Warehouse) -> list[Finding]:
    """Check server, database, logins, privileges, migrations and the published snapshot.

    A warehouse that cannot be reached is one finding, no exception.
    """
    try:
        with warehouse.owner() as conn:
            findings = [*_check_database(conn), _check_functions(conn), _check_migrations(conn)]
            if findings[-1].ok:
                findings += [_check_published(conn), _check_held(conn)]
    except PlatformError as error:
        return [Finding("warehouse", False, error.seen, error.expected or "a running server", error.action)]
    return [*findings, *_check_logins(warehouse)]


def _check_database(conn: psycopg.Connection) -> list[Finding]:
    row = conn.execute(load_sql("ops/database_facts.sql")).fetchone()
    version, encoding, collation, ctype, schemas = row or (0, "", "", "", [])
    own = "give the warehouse a database of its own: set CRIME_DATABASE to a name that does not exist yet"
    return [
        Finding(
            "server version",
            version // 10_000 >= MIN_VERSION,
            f"{version // 10_000}.{version % 10_000}",
            f"{MIN_VERSION} or later",
            "upgrade the server",
        ),
        Finding("encoding", encoding == "UTF8", encoding, "UTF8", own),
        Finding("collation", (collation, ctype) == ("C", "C"), f"{collation}, {ctype}", "C, C", own),
        Finding(
            "schemas",
            len(schemas) == 5,
            ", ".join(sorted(schemas)) or "none",
            "ops, public, raw, sandbox, staging",
            "run `crime up`",
        ),
    ]


def _check_functions(conn: psycopg.Connection) -> Finding:
    open_functions = [row[0] for row in conn.execute(load_sql("ops/open_functions.sql"))]
    return Finding(
        "functions",
        not open_functions,
        f"open to everybody: {', '.join(open_functions)}" if open_functions else "revoked",
        "functions that write, wait, signal or run text as SQL revoked from PUBLIC",
        "run the bootstrap as a superuser (CRIME_ADMIN_URL); until then the guard alone refuses them",
    )


def _check_migrations(conn: psycopg.Connection) -> Finding:
    migrations = list_migrations(SQL_DIR / "ops")
    expected = f"all {len(migrations)} applied, unchanged"
    try:
        missing = plan_migrations(migrations, recorded_migrations(conn))
    except psycopg.errors.UndefinedTable:
        conn.rollback()
        return Finding("migrations", False, "ops.schema_version is missing", expected, "run `crime up`")
    except PlatformError as error:
        return Finding("migrations", False, error.seen, expected, error.action)
    seen = f"missing: {', '.join(migration.name for migration in missing)}" if missing else "all applied"
    return Finding("migrations", not missing, seen, expected, "run `crime up`")


def _check_published(conn: psycopg.Connection) -> Finding:
    snapshot = published_snapshot(conn)
    if snapshot is None:
        return Finding("published snapshot", False, "none", "one", "load the data: `crime ingest`")
    served = {row[0] for row in conn.execute(load_sql("ops/served_schemas.sql"), {"views": list(TABLE_NAMES)})}
    return Finding(
        "published snapshot",
        served == {snapshot.snapshot_id},
        f"{snapshot.snapshot_id} on record; the views read {', '.join(sorted(served)) or 'nothing'}",
        "the views of public read the snapshot on record",
        f"publish another one and then `crime snapshots publish {snapshot.snapshot_id}`",
    )


def _check_held(conn: psycopg.Connection) -> Finding:
    held = conn.execute("SELECT snapshot_id, note FROM ops.snapshot WHERE state = 'held' ORDER BY built_at").fetchall()
    newest = held[-1][0] if held else ""
    return Finding(
        "held snapshots",
        not held,
        "; ".join(f"{snapshot_id}: {note or 'no reason on record'}" for snapshot_id, note in held) or "none",
        "none",
        f"run `crime snapshots publish {newest}`",
    )


def _check_logins(warehouse: Warehouse) -> list[Finding]:
    findings = []
    for name, url, opened in (
        ("login of crime_reader", warehouse.reader_url, warehouse.reader),
        ("login of crime_analyst", warehouse.analyst_url, warehouse.analyst),
    ):
        if not url:
            continue
        try:
            with opened() as conn:
                user = conn.info.user
            findings.append(Finding(name, name.endswith(user), f"{user} at {address(url)}", "works"))
        except PlatformError as error:
            findings.append(Finding(name, False, error.seen, "works", error.action))
    return findings
