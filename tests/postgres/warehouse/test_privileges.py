from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psycopg
import pytest
import yaml

from include.warehouse import Warehouse, run_publish
from tests.conftest import fresh_warehouse
from tests.postgres.conftest import add_snapshot

CASES = yaml.safe_load((Path(__file__).parent / "privileges.yaml").read_text(encoding="utf-8"))
TABLE = [pytest.param(role, case, id=f"{role}: {case['sql'][:60]}") for role, cases in CASES.items() for case in cases]


@pytest.fixture(scope="module", params=[15, 18])
def stocked(request, server_of) -> Iterator[Warehouse]:
    """A warehouse with one published snapshot, one candidate and an analyst's table, on each version."""
    with fresh_warehouse(server_of(request.param)) as warehouse:
        add_snapshot(warehouse, "snap_a", rows=3)
        run_publish(warehouse, "snap_a", patience=0)
        add_snapshot(warehouse, "snap_b")
        with warehouse.analyst() as conn:
            conn.execute("CREATE TABLE notes (n integer)")
        yield warehouse


def outcome(conn: psycopg.Connection, sql: str, *, writable: bool) -> object:
    try:
        if writable:
            conn.execute("SET TRANSACTION READ WRITE")
        conn.execute(sql)
    except psycopg.Error as error:
        return error.sqlstate
    finally:
        conn.rollback()
    return True


@pytest.mark.parametrize(("role", "case"), TABLE)
def test_what_a_role_may_do(stocked, role, case):
    opened: dict[str, Callable[[], AbstractContextManager[psycopg.Connection]]] = {
        "reader": stocked.reader,
        "analyst": stocked.analyst,
        "owner": stocked.owner,
    }
    with opened[role]() as conn:
        if role != "reader":
            assert outcome(conn, case["sql"], writable=False) == case["may"]
            return
        assert outcome(conn, case["sql"], writable=True) == case["may"], "in a writable transaction"
        as_given = outcome(conn, case["sql"], writable=False)
        assert as_given == case["may"] or (isinstance(case["may"], str) and as_given == "25006")


@pytest.mark.parametrize(
    ("role", "setting", "value"),
    [
        ("reader", "default_transaction_read_only", "on"),
        ("reader", "transaction_read_only", "on"),
        ("reader", "statement_timeout", "30s"),
        ("reader", "lock_timeout", "2s"),
        ("reader", "idle_in_transaction_session_timeout", "1min"),
        ("reader", "temp_file_limit", "2GB"),
        ("reader", "work_mem", "32MB"),
        ("reader", "search_path", "public"),
        ("analyst", "statement_timeout", "5min"),
        ("analyst", "lock_timeout", "5s"),
        ("analyst", "idle_in_transaction_session_timeout", "5min"),
        ("analyst", "temp_file_limit", "8GB"),
        ("analyst", "search_path", "sandbox, public"),
        ("owner", "statement_timeout", "0"),
        ("owner", "TimeZone", "UTC"),
    ],
)
def test_settings_of_a_role(stocked, role, setting, value):
    with getattr(stocked, role)() as conn:
        assert conn.execute("SELECT current_setting(%s)", (setting,)).fetchone() == (value,)


def test_attributes_of_the_roles(stocked):
    with stocked.owner() as conn:
        rows = conn.execute(
            "SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolinherit,"
            " rolconnlimit FROM pg_roles WHERE rolname LIKE 'crime%' ORDER BY rolname"
        ).fetchall()
        assert rows == [
            ("crime_analyst", False, False, False, False, False, False, 50),
            ("crime_owner", False, False, False, False, False, True, -1),
            ("crime_reader", False, False, False, False, False, False, 64),
        ]
        members = "SELECT count(*) FROM pg_auth_members WHERE member::regrole::text = ANY (%s)"
        assert conn.execute(members, (["crime_reader", "crime_analyst"],)).fetchone() == (0,)
        owned = "SELECT count(*) FROM pg_shdepend WHERE refobjid = 'crime_reader'::regrole AND deptype = 'o'"
        assert conn.execute(owned).fetchone() == (0,)


def test_strangers_may_not_even_connect(stocked):
    with stocked.owner() as conn:
        query = "SELECT has_database_privilege('public', current_database(), name) FROM unnest(%s::text[]) AS name"
        assert conn.execute(query, (["CONNECT", "TEMPORARY", "CREATE"],)).fetchall() == [(False,)] * 3
