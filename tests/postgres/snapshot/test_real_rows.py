"""Real rows: the build equals the oracle, and keeps what the source says where no rule applies."""

import pandas as pd
import psycopg
import pytest

from include.ingest import BuildResult, run_build
from include.warehouse import Warehouse
from tests.postgres.snapshot.conftest import RAW_COLUMNS, assert_as_oracle, load_real, read_table

pytestmark = pytest.mark.real_rows


@pytest.fixture(scope="module")
def export(shared_data) -> pd.DataFrame:
    """The 59,811 rows of the portal's export, as text."""
    return pd.read_csv(shared_data / "real" / "crimes_real.csv.gz", dtype=str, keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def built(warehouse: Warehouse, export: pd.DataFrame) -> BuildResult:
    """The snapshot of those rows, built once."""
    with warehouse.owner() as conn:
        return run_build(conn, schema="snap_real", raw=load_real(conn, export, name="staging.real"))


def test_every_cell_is_as_the_oracle_says(conn: psycopg.Connection, built: BuildResult) -> None:
    columns = ", ".join(f'"{name}"' for name in RAW_COLUMNS)
    cursor = conn.execute(f"SELECT {columns} FROM staging.real")
    assert_as_oracle(conn, built, pd.DataFrame(cursor.fetchall(), columns=RAW_COLUMNS, dtype=object))


def test_published_cells_are_kept(conn: psycopg.Connection, built: BuildResult, export: pd.DataFrame) -> None:
    rows = read_table(conn, "snap_real.crime_incidents", key="ID")
    source = export.assign(key=export["ID"].astype(int)).sort_values("key", ignore_index=True)
    assert len(rows) == 59_811
    located = source["Latitude"].notna() & (source["X Coordinate"] != "0")
    pairs = {
        "CASE_NUMBER": source["Case Number"],
        "BLOCK": source["Block"].str.upper(),
        "CRIME_TYPE": source["Primary Type"],
        "DESCRIPTION": source["Description"].str.upper(),
        "FBI_CODE": source["FBI Code"],
        "BEAT": source["Beat"],
        "DISTRICT": source["District"].map(int, na_action="ignore"),
        "WARD": source["Ward"].map(int, na_action="ignore"),
        "ARREST": source["Arrest"] == "true",
        "INCIDENT_DATE": pd.to_datetime(source["Date"], format="%m/%d/%Y %I:%M:%S %p"),
        "UPDATED_ON": pd.to_datetime(source["Updated On"], format="%m/%d/%Y %I:%M:%S %p"),
    }
    for name, wanted in pairs.items():
        kept = wanted.notna()
        assert (rows.loc[kept, name] == wanted[kept]).all(), name
        assert rows.loc[~kept, name].isna().all(), name
    assert (rows.loc[located, "LATITUDE"] == source.loc[located, "Latitude"].astype(float)).all()
    assert (rows.loc[~located, "IMPUTED_FIELDS"].str.endswith("LATITUDE,LONGITUDE")).sum() > 900
    # The portal pads nothing either, but prints trailing zeros that a number has not.
    plain = located & ~source["Location"].str.contains(r"0[,)]", na=False)
    assert (rows.loc[plain, "LOCATION"] == source.loc[plain, "Location"]).all()


def test_no_null_is_left_where_a_rule_fills_and_nothing_needs_a_warning(built: BuildResult) -> None:
    assert (built.row_count, dict(built.rejected), built.unlocated, built.warnings) == (59_811, {}, 0, ())
    filled = {(entry.column, entry.rule): entry.cells for entry in built.ledger if entry.cells}
    assert filled["LOCATION_DESCRIPTION", "constant"] == 194
    assert filled["LATITUDE", "block donor"] + filled["LATITUDE", "beat mean"] == 1_043
