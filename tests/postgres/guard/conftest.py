"""A small snapshot on a real server, and the guard on it."""

from collections.abc import Iterator

import psycopg
import pytest

from agent.guard import Caller, Guard, Limits
from include.dataset import table_ddl
from include.settings import PROJECT_ROOT, Settings
from include.warehouse import Warehouse

SCHEMA = "snap_test"
CALLER = Caller("test", "run", question="how many?", name="tester")
LIMITS = Limits(max_rows=5_000, max_bytes=8 * 2**20, timeout_s=10.0, max_plan_cost=5e7)
ROWS = PROJECT_ROOT / "tests" / "fixtures" / "guard" / "snapshot.sql"


def add_rows(warehouse: Warehouse, schema: str) -> str:
    with warehouse.owner() as conn:
        conn.execute(f"CREATE SCHEMA {schema}")
        conn.execute(table_ddl(schema))
        conn.execute(f"SET LOCAL search_path = {schema}")
        conn.execute(ROWS.read_text())
        conn.execute(f"GRANT USAGE ON SCHEMA {schema} TO crime_reader")
        conn.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO crime_reader")
    return schema


@pytest.fixture(scope="module")
def snapshot(warehouse: Warehouse) -> str:
    """The schema of 3,000 incidents."""
    return add_rows(warehouse, SCHEMA)


@pytest.fixture(scope="module")
def guard(warehouse: Warehouse, snapshot: str) -> Iterator[Guard]:
    with Guard(warehouse, settings=Settings()) as made:
        yield made


@pytest.fixture
def direct(warehouse: Warehouse, snapshot: str) -> Iterator[psycopg.Connection]:
    """A reader's connection without the guard, pinned to the snapshot."""
    with warehouse.reader() as conn:
        conn.execute(f"SET search_path = {snapshot}")
        yield conn
