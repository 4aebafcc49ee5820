"""The snapshot around the rows: tables and comments as defined, keys, grants, fingerprint, and the rules at random."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pandas as pd
import psycopg
import pytest
from psycopg import sql

from include.dataset import COLUMNS, FACT, LOOKUPS, TABLES, column_comment, table_ddl
from include.ingest import BuildResult, run_build
from include.warehouse import Warehouse
from tests.postgres.snapshot.conftest import add_raw, assert_as_oracle, complete

ROWS = [{"beat": f"0{number}11", "arrest": bool(number % 2)} for number in range(1, 6)]


def describe(conn: psycopg.Connection, schema: str) -> dict[str, list[tuple[str, str, bool, str]]]:
    """Return name, type, NOT NULL and comment of every column of a schema's tables."""
    rows = conn.execute(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
        " col_description(c.oid, a.attnum)"
        " FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0"
        " ORDER BY c.relname, a.attnum",
        (schema,),
    ).fetchall()
    tables: dict[str, list[tuple[str, str, bool, str]]] = {}
    for table, *column in rows:
        tables.setdefault(table, []).append(tuple(column))
    return tables


def test_tables_are_as_defined(conn: psycopg.Connection, build: Callable[..., BuildResult]) -> None:
    types = {"timestamp": "timestamp without time zone"}
    found = describe(conn, build(ROWS).schema)
    assert found == {
        table.name: [
            (column.name, types.get(column.pg_type, column.pg_type), not column.nullable, column_comment(column))
            for column in table.columns
        ]
        for table in TABLES
    }


def test_the_ddl_text_makes_the_same_tables(conn: psycopg.Connection, build: Callable[..., BuildResult]) -> None:
    built = build(ROWS).schema
    conn.execute("CREATE SCHEMA by_ddl")
    conn.execute(table_ddl("by_ddl"))
    assert describe(conn, "by_ddl") == describe(conn, built)
    keys = (
        "SELECT replace(pg_get_constraintdef(oid), connamespace::regnamespace::text || '.', '') FROM pg_constraint"
        " WHERE connamespace = %s::regnamespace AND contype IN ('p', 'f') ORDER BY 1"
    )
    assert conn.execute(keys, ("by_ddl",)).fetchall() == conn.execute(keys, (built,)).fetchall()
    assert len(conn.execute(keys, (built,)).fetchall()) == 7


def test_lookups_hold_their_rows_and_the_facts_point_to_them(
    conn: psycopg.Connection, build: Callable[..., BuildResult]
) -> None:
    schema = build(ROWS).schema
    for lookup in LOOKUPS:
        assert tuple(conn.execute(f"SELECT * FROM {schema}.{lookup.name} ORDER BY 1").fetchall()) == lookup.rows
    with pytest.raises(psycopg.errors.ForeignKeyViolation), conn.transaction():
        conn.execute(f'UPDATE {schema}.crime_incidents SET "DISTRICT" = 13 WHERE "ID" = 1')


def test_both_roles_may_read_and_nothing_else(warehouse: Warehouse) -> None:
    with warehouse.owner() as conn:
        run_build(conn, schema="snap_grants", raw=add_raw(conn, ROWS))
    for role in (warehouse.reader, warehouse.analyst):
        with role(autocommit=True) as conn:
            assert conn.execute("SELECT count(*) FROM snap_grants.crime_incidents JOIN snap_grants.district_names"
                                ' ON district_id = "DISTRICT"').fetchone() == (5,)  # fmt: skip
            conn.execute("SET default_transaction_read_only = off")
            for statement in ("DELETE FROM snap_grants.ward_names", "CREATE TABLE snap_grants.mine (n int)"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    conn.execute(statement)


def test_statistics_are_there(conn: psycopg.Connection, build: Callable[..., BuildResult]) -> None:
    schema = build(ROWS).schema
    tuples = conn.execute("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", (f"{schema}.crime_incidents",))
    assert tuples.fetchone() == (5,)
    widths = conn.execute("SELECT count(*) FROM pg_stats WHERE schemaname = %s AND tablename = %s", (schema, FACT.name))
    assert widths.fetchone() == (len(COLUMNS),)


def test_fingerprint_depends_on_the_content_alone(build: Callable[..., BuildResult]) -> None:
    rows = complete(ROWS)
    first = build(rows)
    assert build(rows[::-1]).fingerprint == first.fingerprint
    assert build([*rows, {"id": 6, "deleted_at": datetime(2020, 1, 1)}]).fingerprint == first.fingerprint
    changes: list[dict[str, Any]] = [
        {"arrest": None},
        {"district": "061"},
        {"latitude": 41.8800001},
        {"updated_on": None},
    ]
    others = {build([rows[0] | change, *rows[1:]]).fingerprint for change in changes}
    assert len(others | {first.fingerprint}) == 5
    assert build([*rows, rows[0] | {"id": 6}]).fingerprint != first.fingerprint


def random_rows(seed: int, number: int) -> list[dict[str, Any]]:
    """Rows from few values, so that every rule meets every other."""
    pick = random.Random(seed)

    def maybe(value: object, share: float = 0.15) -> Any:
        return None if pick.random() < share else value

    rows = []
    for _ in range(number):
        date = datetime(pick.choice((2001, 2002)), pick.choice((1, 12)), pick.randint(1, 3), pick.choice((0, 12)))
        row = {
            "date": maybe(date),
            "year": maybe(pick.choice((date.year, date.year, 2003))),
            "block": maybe(
                pick.choice(("001XX N A ST", "001xx n a st", "002XX S B AVE", "003XX E C RD", f"{pick.random()}"))
            ),
            "beat": maybe(pick.choice(("111", "0111", "2525", "0999"))),
            "primary_type": maybe(pick.choice(("THEFT", "Theft", "CRIM SEXUAL ASSAULT", "PIRACY", ""))),
            "description": maybe("SIMPLE"),
            "location_description": maybe(pick.choice(("STREET", "RESIDENCE-GARAGE", " "))),
            "arrest": maybe(pick.random() < 0.3),
            "domestic": maybe(pick.random() < 0.2),
            "district": maybe(pick.choice(("001", "061", "16", "x"))),
            "ward": maybe(pick.choice((0, 1, 50, 77, -1))),
            "community_area": maybe(pick.choice((0, 1, 77, 100_000))),
            "fbi_code": maybe(pick.choice(("01A", "06", "08B", "26"))),
            "x_coordinate": pick.randint(1_100_000, 1_200_000) + 0.0,
            "y_coordinate": pick.randint(1_800_000, 1_950_000) + 0.0,
            "latitude": round(pick.uniform(41.6, 42.0), 9),
            "longitude": round(pick.uniform(-87.9, -87.5), 9),
            "updated_on": maybe(date + timedelta(days=pick.randint(-2, 4000), minutes=pick.randint(0, 1439))),
            "deleted_at": datetime(2024, 1, 1) if pick.random() < 0.05 else None,
        }
        gap = pick.random()
        if gap < 0.3:
            row |= dict.fromkeys(("x_coordinate", "y_coordinate", "latitude", "longitude"))
        elif gap < 0.4:
            row |= {"x_coordinate": 0.0, "y_coordinate": 0.0, "latitude": 36.619446395, "longitude": -91.686565684}
        elif gap < 0.45:
            row[pick.choice(("x_coordinate", "latitude"))] = None
        rows.append(row)
    return rows


@pytest.mark.parametrize(("seed", "number"), [(seed, 8) for seed in range(6)] + [(6, 60), (7, 500), (8, 3_000)])
def test_random_rows_are_as_the_oracle_says(
    conn: psycopg.Connection, build: Callable[..., BuildResult], seed: int, number: int
) -> None:
    rows = random_rows(seed, number)
    assert_as_oracle(conn, build(rows), pd.DataFrame(complete(rows), dtype=object))


def test_parallel_plans_build_the_same(conn: psycopg.Connection, build: Callable[..., BuildResult]) -> None:
    rows = random_rows(9, 4_000)
    prints = set()
    for workers in (0, 2):
        for name in ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"):
            conn.execute(sql.SQL("SET LOCAL {} = 0").format(sql.Identifier(name)))
        conn.execute(sql.SQL("SET LOCAL max_parallel_workers_per_gather = {}").format(sql.Literal(workers)))
        prints.add(build(rows).fingerprint)
    assert len(prints) == 1


def test_with_autocommit_the_build_is_committed_and_vacuumed(warehouse: Warehouse) -> None:
    with warehouse.owner(autocommit=True) as conn:
        result = run_build(conn, schema="snap_vacuumed", raw=add_raw(conn, ROWS))
    with warehouse.owner() as conn:
        pages = conn.execute("SELECT relallvisible FROM pg_class WHERE oid = 'snap_vacuumed.crime_incidents'::regclass")
        assert pages.fetchone() == (1,)
        assert conn.execute("SELECT count(*) FROM snap_vacuumed.crime_incidents").fetchone() == (result.row_count,)


def test_a_build_that_fails_leaves_nothing(warehouse: Warehouse) -> None:
    with warehouse.owner(autocommit=True) as conn:
        raw = add_raw(conn, [*complete(ROWS), {"id": 1}])
        with pytest.raises(psycopg.errors.UniqueViolation):
            run_build(conn, schema="snap_failed", raw=raw)
        assert conn.execute("SELECT FROM pg_namespace WHERE nspname = 'snap_failed'").rowcount == 0
