import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from include.errors import UsageError
from include.source.simulator import open_store, serve
from tests.unit.simulator.conftest import DATASET, FIXTURES, client_of

HEADER = (FIXTURES / "crimes_small.csv").read_text().splitlines()[0]
PORTAL = """ID,Case Number,Date,Block,IUCR,Primary Type,Description,Location Description,Arrest,Domestic,Beat,District,\
Ward,Community Area,FBI Code,X Coordinate,Y Coordinate,Year,Updated On,Latitude,Longitude,Location
634,G000705,01/01/2001 12:40:00 AM,024XX W MONROE ST,0110,HOMICIDE,FIRST DEGREE MURDER,CHA STAIRWELL,false,true,1125,\
011,2,28,01A,1159921,1899604,2001,08/17/2015 03:03:40 PM,41.880224549,-87.688248952,"
(41.880224549, -87.688248952)"
"""


@pytest.mark.parametrize("opening", ["", "\ufeff"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_portal_export_is_read(tmp_path: Path, opening: str, packed: bool):
    data = (opening + PORTAL).encode()
    file = tmp_path / ("export.csv.gz" if packed else "export.csv")
    file.write_bytes(gzip.compress(data) if packed else data)
    with serve(open_store(file)) as handle, client_of(handle) as client:
        row = client.get(DATASET, select=":updated_at, *")[0]
    assert row["date"] == "2001-01-01T00:40:00.000"
    assert row["updated_on"] == "2015-08-17T15:03:40.000"
    assert row[":updated_at"].startswith("2015-08-17T20:10:41.")
    assert (row["beat"], row["district"], row["ward"], row["community_area"]) == ("1125", "011", "2", "28")
    assert (row["arrest"], row["domestic"]) == (False, True)
    assert row["location"]["latitude"] == row["latitude"] == "41.880224549"


def test_a_given_updated_at_is_kept_and_rows_come_in_id_order(tmp_path: Path):
    first = (FIXTURES / "crimes_small.csv").read_text().splitlines()
    file = tmp_path / "stamped.csv"
    stamped = [f"2020-01-0{n}T01:02:03.456Z,{line}" for n, line in enumerate(first[1:], start=1)]
    file.write_text("\n".join([":updated_at," + first[0], *reversed(stamped)]) + "\n")
    store = open_store(file)
    assert list(store.ids) == [9, 20, 100, 1000, 1001, 1002, 1003, 1004]
    assert int(store.touched[0]) == 1577840523


def test_parquet_and_csv_of_the_same_rows_answer_alike(tmp_path: Path, small_store):
    names = [field.name for field in small_store.fields if not field.name.startswith(":") and field.name != "location"]
    table = pa.table({name: small_store.column(name, slice(0, 8)) for name in names})
    pq.write_table(table, tmp_path / "crimes.parquet")
    other = open_store(tmp_path / "crimes.parquet")
    answers = []
    for store in (small_store, other):
        with serve(store) as handle, client_of(handle) as client:
            answers.append(client.get(DATASET, select=":*,*", order="id"))
    assert answers[0] == answers[1]
    assert small_store.identity != other.identity


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.csv", None, "there is no file"),
        ("empty.csv", b"", "holds no rows"),
        ("header.csv", HEADER.encode() + b"\n", "holds no rows"),
        ("wards.csv", b"ward_id,ward_name\n1,Ward 1\n", "not a file of crimes: it lacks id"),
        ("noise.parquet", b"PAR1 and then nothing of the kind", "not a readable CSV or Parquet file"),
        ("noise.csv.gz", b"\x1f\x8bnot gzip at all", "cannot be read|not a readable"),
        ("noise.csv", bytes(range(128, 256)) * 9, "not a"),
        ("id.csv", HEADER.encode() + b"\nx" + b"," * HEADER.count(",") + b"\n", "column id .* cannot be read"),
        ("no_id.csv", HEADER.encode() + b"\n" + b"," * HEADER.count(",") + b"\n", "column id .* cannot be read"),
    ],
)
def test_what_is_no_file_of_crimes_is_one_usage_error(tmp_path: Path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=words) as caught:
        open_store(tmp_path / name)
    assert name in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_folder_is_no_file(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no file"):
        open_store(tmp_path)


@pytest.mark.real_rows
def test_answers_have_the_shape_of_recorded_ones(shared_data: Path):
    recorded = json.loads((shared_data / "real" / "soda_samples.json").read_text())
    store = open_store(shared_data / "real" / "crimes_real.csv.gz")
    with serve(store) as handle, client_of(handle) as client:
        ours = client.get(DATASET, where="year = 2019 and latitude is not null", limit=50)
        bare = client.get(DATASET, where="latitude is null", limit=5)
    full = next(row for row in recorded if "location" in row)
    assert {name: type(value) for name, value in full.items()}.items() <= {
        name: type(value) for name, value in ours[0].items()
    }.items()
    assert set(ours[0]) - set(full) == {":@computed_region_8hcu_yrd4"}
    assert list(ours[0])[:22] == list(full)[:22]
    assert set(ours[0]["location"]) == set(full["location"])
    assert ours[0]["location"]["human_address"] == full["location"]["human_address"]
    lacking = next(row for row in recorded if "location" not in row)
    assert not {name for name in bare[0] if name not in lacking}
    edge = json.loads((shared_data / "real" / "soda_samples_edge_2026.json").read_text())
    with serve(store) as handle, client_of(handle) as client:
        for row in edge[:2]:
            served = client.get(DATASET, where=f"id = {row['id']}")[0]
            same = set(row) - {"updated_on", "arrest"}
            assert {name: served.get(name) for name in same} == {name: row[name] for name in same}


@pytest.mark.real_rows
def test_keyset_pages_of_real_rows_are_the_whole_set(shared_data: Path):
    store = open_store(shared_data / "real" / "crimes_real.csv.gz")
    with serve(store) as handle, client_of(handle) as client:
        seen: list[int] = []
        while page := client.get(
            DATASET, content_type="csv", select="id", where=f"id > {seen[-1] if seen else 0}", order="id", limit=7000
        )[1:]:
            seen += [int(row[0]) for row in page]
    assert np.array_equal(np.array(seen), store.ids)
    assert len(seen) == 59_811
