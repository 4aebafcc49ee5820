"""Every hostile text on a real server: what becomes of it, and that nothing was read outside, written or left."""

import time
from collections.abc import Iterator

import psycopg
import pytest
import yaml

from agent.guard import Guard, GuardRefusal, Limits, QueryFailed, QueryTimeout
from include.settings import PROJECT_ROOT
from include.warehouse import Warehouse

from .conftest import CALLER

pytestmark = pytest.mark.postgres
ATTACKS = yaml.safe_load((PROJECT_ROOT / "tests" / "fixtures" / "guard" / "attacks.yaml").read_text())
LIMIT_S = 0.6
LIMITS = Limits(max_rows=1_000, max_bytes=8 * 2**20, timeout_s=LIMIT_S, max_plan_cost=5e7)
CANARY = "CANARY-7f3a"
STATE = """
    SELECT (SELECT count(*) FROM snap_test.crime_incidents),
           (SELECT sum(hashtextextended(c::text, 0)) FROM snap_test.crime_incidents AS c),
           (SELECT count(*) FROM pg_largeobject_metadata),
           (SELECT count(*) FROM pg_class WHERE relnamespace NOT IN ('ops'::regnamespace, 'pg_toast'::regnamespace)),
           (SELECT count(*) FROM pg_proc),
           (SELECT count(*) FROM app.touched),
           (SELECT count(*) FROM pg_roles),
           (SELECT array_agg(format('%s %s', setrole, setconfig) ORDER BY 1) FROM pg_db_role_setting)::text,
           (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')
"""


@pytest.fixture(scope="module")
def admin(pg_admin_url: str, warehouse: Warehouse, snapshot: str) -> Iterator[psycopg.Connection]:
    """A superuser in the same database, with tables and functions that nobody may reach."""
    database = psycopg.conninfo.conninfo_to_dict(warehouse.owner_url)["dbname"]
    with psycopg.connect(pg_admin_url, dbname=database, autocommit=True) as conn:
        conn.execute(f"""
            CREATE SCHEMA app;
            CREATE TABLE app.secret (k text, v text);
            INSERT INTO app.secret VALUES ('key', '{CANARY}');
            CREATE TABLE app.touched (n int);
            CREATE FUNCTION app.bump() RETURNS int LANGUAGE sql AS 'INSERT INTO app.touched VALUES (1) RETURNING 1';
            CREATE FUNCTION app.bump_def() RETURNS int LANGUAGE sql SECURITY DEFINER
                AS 'INSERT INTO app.touched VALUES (1) RETURNING 1';
        """)
        yield conn


@pytest.fixture(scope="module", autouse=True)
def untouched(admin: psycopg.Connection) -> Iterator[None]:
    """The database is the same after all texts as before, as the database itself says."""
    before = admin.execute(STATE).fetchone()
    yield
    assert admin.execute(STATE).fetchone() == before


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["id"])
def test_attack(guard: Guard, snapshot: str, attack: dict[str, str]) -> None:
    started = time.perf_counter()
    outcome, detail, rows = _outcome(guard, snapshot, attack["sql"])
    seconds = time.perf_counter() - started

    assert seconds < LIMIT_S + 1
    assert CANARY not in repr(rows)
    match attack["verdict"]:
        case "refused":
            assert (outcome, detail) == ("refused", attack["rule"])
        case "failed":
            assert (outcome, detail) == ("failed", attack["sqlstate"])
        case "runs":
            assert outcome == "ran", detail
        case "cut":
            assert (outcome, detail) in (("timeout", "57014"), ("refused", "cost"))
        case "stopped":
            assert outcome in ("refused", "failed")
        case verdict:
            assert verdict == "bounded"


def test_next_question_is_served_at_once_after_a_bomb(guard: Guard, snapshot: str) -> None:
    bomb = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r"
    assert _outcome(guard, snapshot, bomb)[0] == "timeout"

    started = time.perf_counter()
    assert _outcome(guard, snapshot, "SELECT count(*) FROM ward_names")[2] == ((50,),)
    assert time.perf_counter() - started < 0.2


def test_no_backend_keeps_running(admin: psycopg.Connection, guard: Guard, snapshot: str) -> None:
    for _ in range(20):
        running = admin.execute(
            "SELECT query FROM pg_stat_activity WHERE usename = 'crime_reader' AND state <> 'idle'"
        ).fetchall()
        if not running:
            return
        time.sleep(0.1)
    assert running == []


def _outcome(guard: Guard, schema: str, sql: str) -> tuple[str, str | None, object]:
    try:
        result = guard.execute(sql, schema=schema, caller=CALLER, limits=LIMITS)
    except GuardRefusal as error:
        return "refused", error.rule, None
    except QueryTimeout as error:
        return "timeout", error.sqlstate, None
    except QueryFailed as error:
        return "failed", error.sqlstate, None
    return "ran", None, result.rows
