"""Fixtures of the tests on a real server: a PostgreSQL per major version, hand-made snapshots."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from include.warehouse import EmbeddedServer, Warehouse
from include.warehouse.binaries import list_binaries
from tests.conftest import open_directory, start_for_tests

MAJORS = (15, 18)


@pytest.fixture(scope="session")
def server_of(pg_admin_url: str) -> Iterator[Callable[[int], str]]:
    """Return the superuser's URL of a server of a major version, started at the first call; skips without binaries."""
    with psycopg.connect(pg_admin_url) as conn:
        urls = {conn.info.server_version // 10_000: pg_admin_url}

    def url(major: int) -> str:
        if major not in urls:
            binaries = next((one for one in list_binaries() if one.major == major), None)
            if binaries is None:
                pytest.skip(f"no PostgreSQL {major} is installed here")
            server = EmbeddedServer(stack.enter_context(open_directory()), binaries=binaries)
            stack.callback(server.destroy)
            urls[major] = start_for_tests(server)
        return urls[major]

    with ExitStack() as stack:
        yield url


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A directory that the account of a server started by root can enter, unlike pytest's `tmp_path`."""
    with open_directory() as path:
        yield path


@pytest.fixture
def make_snapshot() -> Callable[..., str]:
    """Return a function that makes a tiny snapshot: the four tables with keys, `rows` incidents, and its record."""
    return add_snapshot


def add_snapshot(
    warehouse: Warehouse,
    snapshot_id: str,
    *,
    rows: int = 1,
    state: str = "candidate",
    run_id: str | None = None,
    extra: str = "",
) -> str:
    """Make the tiny snapshot; `extra` is DDL run in the schema before its record is written."""
    with warehouse.owner() as conn:
        conn.execute(f"CREATE SCHEMA {snapshot_id}")
        conn.execute(f"SET LOCAL search_path = {snapshot_id}")
        for name in ("district", "community_area", "ward"):
            conn.execute(
                f"CREATE TABLE {name}_names ({name}_id smallint PRIMARY KEY, {name}_name text NOT NULL);"
                f"INSERT INTO {name}_names VALUES (1, 'One')"
            )
        conn.execute(
            'CREATE TABLE crime_incidents ("ID" bigint PRIMARY KEY, "CRIME_TYPE" text NOT NULL,'
            ' "DISTRICT" smallint REFERENCES district_names)'
        )
        conn.execute("COMMENT ON COLUMN crime_incidents.\"CRIME_TYPE\" IS 'Primary type'")
        conn.execute(f"INSERT INTO crime_incidents SELECT n, 'THEFT', 1 FROM generate_series(1, {rows}) AS n")
        if extra:
            conn.execute(extra)
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, run_id, row_count) VALUES (%s, %s, %s, %s)",
            (snapshot_id, state, run_id, rows),
        )
    return snapshot_id
