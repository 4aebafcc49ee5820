"""A snapshot as Parquet: what is read back equals the tables, and a failed export leaves nothing."""

import json
from datetime import datetime

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from include.dataset import DISCLAIMER, FACT, LOOKUPS
from include.errors import RefusedError, TerminalError, UsageError
from include.export import parquet, run_export
from include.ingest import run_build
from tests.postgres.snapshot.conftest import add_raw

SNAPSHOT = "snap_20240101t000000"
ROWS = [
    {"case_number": 'A "QUOTED", ONE'},
    {"case_number": "LINE\nBREAK\r\nAND \\. AND \\N"},
    {"case_number": None, "arrest": None, "ward": None, "description": "CAFÉ À LA Ž"},
    {"date": datetime(2001, 1, 1, 0, 0, 1), "year": 2001, "district": "061"},
    {"date": datetime(2001, 5, 1, 23, 59, 59, 250_000), "year": 2001, "latitude": 41.123456789, "longitude": -87.1},
    {"date": datetime(2016, 2, 29, 12), "year": 2015, "updated_on": None},
    {"block": "NOWHERE", "beat": "9999", "x_coordinate": None},
    *({"date": datetime(2020, 1 + n % 12, 1 + n % 28, n % 24), "year": 2020, "iucr": f"{n:04}"} for n in range(60)),
]


@pytest.fixture(scope="module")
def snapshot(warehouse):
    with warehouse.owner() as conn:
        built = run_build(conn, schema=SNAPSHOT, raw=add_raw(conn, ROWS))
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, row_count, newest_incident, fingerprint)"
            " VALUES (%s, 'published', %s, %s, %s)",
            (SNAPSHOT, built.row_count, built.newest_incident, built.fingerprint),
        )
    return built


@pytest.fixture(params=[parquet.CHUNK_ROWS, 7], ids=["one chunk", "many chunks"])
def exported(request, warehouse, snapshot, tmp_path, monkeypatch):
    monkeypatch.setattr("include.export.parquet.CHUNK_ROWS", request.param)
    return run_export(warehouse, SNAPSHOT, out=tmp_path / "deep" / "out")


def stored(warehouse, table):
    with warehouse.owner() as conn:
        cursor = conn.execute(f'SELECT * FROM {SNAPSHOT}.{table.name} ORDER BY "{table.key}"')
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def test_what_is_read_back_equals_the_tables(warehouse, exported):
    facts = ds.dataset(exported.path / FACT.name, format="parquet").to_table()
    assert facts.sort_by("ID").to_pylist() == stored(warehouse, FACT)
    for lookup in LOOKUPS:
        assert pq.read_table(exported.path / f"{lookup.name}.parquet").to_pylist() == stored(warehouse, lookup)
    assert exported.row_count == len(ROWS)


def test_each_file_holds_one_year_in_the_order_of_time_with_the_types_of_the_columns(exported):
    files = sorted((exported.path / FACT.name).iterdir())
    assert [file.name for file in files] == ["2001.parquet", "2015.parquet", "2020.parquet"]
    for file in files:
        rows = pq.read_table(file)
        assert set(rows["YEAR"].to_pylist()) == {int(file.stem)}
        assert (dates := rows["INCIDENT_DATE"].to_pylist()) == sorted(dates)
        types = {field.name: field.type for field in rows.schema}
        assert list(types) == [column.name for column in FACT.columns]
        assert (types["ID"], types["DISTRICT"], types["DAYS_TO_UPDATE"]) == (pa.int64(), pa.int16(), pa.int32())
        assert (types["BEAT"], types["ARREST"]) == (pa.string(), pa.bool_())
        assert (types["INCIDENT_DATE"], types["LATITUDE"]) == (pa.timestamp("us"), pa.float64())
        assert not rows.schema.field("CRIME_TYPE").nullable
        assert rows.schema.field("WARD").nullable
        column = pq.ParquetFile(file).metadata.row_group(0).column(list(types).index("CRIME_TYPE"))
        assert column.compression == "ZSTD"
        assert "RLE_DICTIONARY" in column.encodings


def test_the_manifest_tells_what_it_is(exported, snapshot):
    manifest = json.loads((exported.path / "manifest.json").read_text())
    assert (manifest["snapshot_id"], manifest["fingerprint"]) == (SNAPSHOT, snapshot.fingerprint)
    assert (manifest["row_count"], manifest["disclaimer"]) == (len(ROWS), DISCLAIMER)
    assert manifest["tables"][FACT.name]["files"] == {
        f"{FACT.name}/2001.parquet": 2, f"{FACT.name}/2015.parquet": 5, f"{FACT.name}/2020.parquet": 60,
    }  # fmt: skip
    assert manifest["tables"]["district_names"]["files"] == {"district_names.parquet": 24}
    assert manifest["tables"][FACT.name]["columns"]["WARD"]["type"] == "smallint"
    named = {name for table in manifest["tables"].values() for name in table["files"]}
    on_disk = {str(f.relative_to(exported.path)) for f in exported.path.rglob("*.parquet")}
    assert named == on_disk == set(exported.files)


def test_the_published_snapshot_is_the_default_and_progress_is_told(warehouse, snapshot, tmp_path):
    said = []
    assert run_export(warehouse, None, out=tmp_path / "out", progress=said.append).snapshot_id == SNAPSHOT
    assert f"{FACT.name}/2020.parquet: 60 rows" in said


def test_an_existing_folder_is_left_alone(warehouse, snapshot, tmp_path):
    (tmp_path / "mine").write_text("x")
    with pytest.raises(UsageError, match="exists"):
        run_export(warehouse, SNAPSHOT, out=tmp_path / "mine")
    with pytest.raises(UsageError, match="cannot be made"):
        run_export(warehouse, SNAPSHOT, out=tmp_path / "mine" / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("fault", "raised"),
    [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "No space left on device"), UsageError)],
    ids=["interrupted", "disk full"],
)
def test_a_failed_export_leaves_nothing(warehouse, snapshot, tmp_path, fault, raised):
    def fail(line):
        raise fault

    with pytest.raises(raised):
        run_export(warehouse, SNAPSHOT, out=tmp_path / "out", progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_rows_that_are_not_those_recorded_are_not_exported(warehouse, snapshot, tmp_path):
    with warehouse.owner() as conn:
        conn.execute("INSERT INTO ops.snapshot (snapshot_id, state, row_count) VALUES ('snap_gone', 'dropped', 1)")
        conn.execute("UPDATE ops.snapshot SET row_count = row_count + 1 WHERE snapshot_id = %s", (SNAPSHOT,))
    try:
        with pytest.raises(TerminalError, match=f"gave {len(ROWS)} rows"):
            run_export(warehouse, SNAPSHOT, out=tmp_path / "out")
        with pytest.raises(RefusedError, match="dropped"):
            run_export(warehouse, "snap_gone", out=tmp_path / "out")
    finally:
        with warehouse.owner() as conn:
            conn.execute("UPDATE ops.snapshot SET row_count = row_count - 1 WHERE snapshot_id = %s", (SNAPSHOT,))
    assert list(tmp_path.iterdir()) == []
