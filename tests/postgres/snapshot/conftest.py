"""Raw tables to build from, and the comparison of a built snapshot with the oracle."""

import io
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import Any

import pandas as pd
import psycopg
import pytest

from include.dataset import COLUMNS, SOURCE_FIELDS
from include.ingest import BuildResult, run_build
from include.warehouse import Warehouse
from tests.postgres.snapshot.oracle import apply_rules

RAW_COLUMNS = [field.raw_name for field in SOURCE_FIELDS]
TYPICAL = {
    "case_number": "HX100001", "date": datetime(2015, 3, 7, 14, 30), "block": "001XX N STATE ST", "iucr": "0820",
    "primary_type": "THEFT", "description": "$500 AND UNDER", "location_description": "STREET", "arrest": False,
    "domestic": False, "beat": "0111", "district": "001", "ward": 42, "community_area": 32, "fbi_code": "06",
    "x_coordinate": 1176000.0, "y_coordinate": 1900000.0, "year": 2015, "updated_on": datetime(2015, 3, 14, 15, 0),
    "latitude": 41.88, "longitude": -87.63,
}  # fmt: skip
_numbers = count(1)


@pytest.fixture
def conn(warehouse: Warehouse) -> Iterator[psycopg.Connection]:
    """A connection of the owner; all it does is rolled back."""
    with warehouse.owner() as opened:
        yield opened
        opened.rollback()


@pytest.fixture
def build(conn: psycopg.Connection) -> Callable[..., BuildResult]:
    """Build a snapshot of the given rows, each a dict of what differs from a typical row; ids count from 1."""

    def build_rows(rows: Sequence[dict[str, Any]], **options: Any) -> BuildResult:
        return run_build(conn, schema=f"snap_case_{next(_numbers)}", raw=add_raw(conn, rows), **options)

    return build_rows


def add_raw(conn: psycopg.Connection, rows: Sequence[dict[str, Any]]) -> str:
    """Make a table like raw.crime with the given rows and return its name."""
    name = f"staging.case_{next(_numbers)}"
    conn.execute(f"CREATE TABLE {name} (LIKE raw.crime INCLUDING DEFAULTS)")
    columns = [*RAW_COLUMNS, "deleted_at", "content_hash", "first_run", "last_run"]
    quoted = ", ".join(f'"{column}"' for column in columns)
    with conn.cursor() as cursor, cursor.copy(f"COPY {name} ({quoted}) FROM STDIN") as copy:
        for row in complete(rows):
            copy.write_row([*(row.get(column) for column in columns[:-3]), 0, "run", "run"])
    return name


def complete(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return whole source rows."""
    return [{"id": number, **TYPICAL, **row} for number, row in enumerate(rows, start=1)]


def load_real(conn: psycopg.Connection, frame: pd.DataFrame, *, name: str) -> str:
    """Make a table like raw.crime with the text of a portal export, cast by the server."""
    labels = {field.label: field.raw_name for field in SOURCE_FIELDS if field.label}
    conn.execute(f"CREATE TABLE {name} (LIKE raw.crime INCLUDING DEFAULTS)")
    conn.execute(f"ALTER TABLE {name} ALTER content_hash SET DEFAULT 0, ALTER first_run SET DEFAULT 'run'")
    conn.execute(f"ALTER TABLE {name} ALTER last_run SET DEFAULT 'run'")
    text = io.StringIO()
    frame[list(labels)].to_csv(text, index=False, header=False)
    with conn.cursor() as cursor:
        columns = ", ".join(f'"{column}"' for column in labels.values())
        with cursor.copy(f"COPY {name} ({columns}) FROM STDIN WITH (FORMAT csv)") as copy:
            copy.write(text.getvalue())
    return name


def read_table(conn: psycopg.Connection, name: str, *, key: str) -> pd.DataFrame:
    """Return a table in the order of its key, with None for null."""
    cursor = conn.execute(f'SELECT * FROM {name} ORDER BY "{key}"')
    assert cursor.description is not None
    return pd.DataFrame(cursor.fetchall(), columns=[one.name for one in cursor.description], dtype=object)


def assert_as_oracle(conn: psycopg.Connection, result: BuildResult, raw: pd.DataFrame) -> None:
    """Compare every cell, the ledger and the rejected rows of a build with the oracle's."""
    expected = apply_rules(raw)
    built = read_table(conn, f"{result.schema}.crime_incidents", key="ID")
    assert list(built.columns) == [column.name for column in COLUMNS]
    assert result.row_count == len(built) == len(expected.rows)
    for name in built.columns:
        pairs = zip(built["ID"], built[name], expected.rows[name], strict=True)
        assert [(key, one, other) for key, one, other in pairs if one != other or type(one) is not type(other)][
            :5
        ] == [], name
    assert {(entry.column, entry.rule): entry.cells for entry in result.ledger if entry.cells} == expected.ledger
    assert sum(result.rejected.values()) == len(expected.rejected)
