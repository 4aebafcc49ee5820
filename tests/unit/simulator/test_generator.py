import csv
import gzip
import io
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from include.errors import UsageError
from include.source.simulator import RowStore, generate_store, serve, write_generated
from tests.unit.simulator.conftest import DATASET, client_of

FIELDS = [
    "id", "case_number", "date", "block", "iucr", "primary_type", "description", "location_description", "arrest",
    "domestic", "beat", "district", "ward", "community_area", "fbi_code", "x_coordinate", "y_coordinate", "year",
    "updated_on", "latitude", "longitude",
]  # fmt: skip


def values(store: RowStore, name: str) -> list:
    array = store.read(name, slice(0, len(store)))
    return (array.cast(pa.string()) if pa.types.is_dictionary(array.type) else array).to_pylist()


def rows(store: RowStore) -> dict[int, tuple]:
    return dict(zip(store.ids.tolist(), zip(*(values(store, name) for name in FIELDS), strict=True), strict=True))


@pytest.fixture(scope="module")
def columns(generated) -> dict[str, list]:
    return {name: values(generated, name) for name in FIELDS}


def share(items: list, wanted) -> float:
    return sum(1 for item in items if wanted(item)) / len(items)


def test_the_same_seed_gives_the_same_rows_and_another_gives_others():
    first, again, other = (generate_store(rows=5_000, seed=seed, as_of=date(2026, 10, 1)) for seed in (3, 3, 4))
    assert rows(first) == rows(again)
    assert np.array_equal(first.touched, again.touched)
    assert set(rows(first).values()) & set(rows(other).values()) == set()
    assert first.identity == "generator:seed=3,rows=5000,start=2001"


def test_a_later_day_is_an_increment_of_an_earlier_one():
    store = generate_store(rows=50_000, seed=3, as_of=date(2026, 9, 1))
    before, last = rows(store), store.last_touched
    store.advance(12)
    after = rows(store)
    started_later = generate_store(rows=50_000, seed=3, as_of=date(2026, 11, 24))
    assert after == rows(started_later)
    assert store.identity == started_later.identity
    added, gone = after.keys() - before.keys(), before.keys() - after.keys()
    changed = {key for key in before.keys() & after.keys() if before[key] != after[key]}
    stamp = FIELDS.index("updated_on")
    content = {key for key in changed if before[key][:stamp] != after[key][:stamp]}
    assert 200 < len(added) < 450
    assert 1 <= len(gone) < 60
    assert 8 < len(content) < len(changed)
    moved = {int(key) for key in store.ids[store.touched > last]}
    assert moved == added | changed


def test_every_week_brings_something():
    store = generate_store(rows=10_000, seed=5, as_of=date(2026, 8, 1))
    for _ in range(12):
        last = store.last_touched
        store.advance()
        assert int((store.touched > last).sum()) > 3


def test_size_and_years():
    whole = generate_store(rows=20_000, seed=1, as_of=date(2026, 11, 23))
    assert 19_600 < len(whole) <= 20_000
    part = generate_store(rows=20_000, seed=1, years=(2012, 2018), as_of=date(2026, 11, 23))
    assert 19_900 < len(part) <= 20_000
    assert set(values(part, "year")) == set(range(2012, 2019))
    assert part.identity.endswith("start=2012,end=2018")
    for wrong in ({"rows": 10}, {"rows": 10**8}, {"rows": 5000, "years": (1990, 2000)}):
        with pytest.raises(UsageError):
            generate_store(**wrong)


def test_the_newest_incident_is_fresh_by_default():
    store = generate_store(rows=200_000)
    newest = max(values(store, "date"))
    assert 7 <= (date.today() - newest.date()).days <= 10


def test_the_largest_size_has_distinct_ids_and_case_numbers_of_its_year():
    store = generate_store(rows=9_000_000, seed=2, years=(2024, 2024), as_of=date(2024, 1, 3))
    assert len(np.unique(store.ids)) == len(store) > 30_000


def test_vocabulary_is_complete_and_drifts(columns):
    assert len(set(columns["community_area"]) - {"0", None}) == 77
    assert len(set(columns["ward"]) - {0, None}) == 50
    assert len(set(columns["district"]) - {"031", "061", "16"}) == 22
    assert len(set(columns["primary_type"])) == 36
    years = {}
    for kind, year in zip(columns["primary_type"], columns["year"], strict=True):
        years.setdefault(kind, []).append(year)
    assert max(years["CRIM SEXUAL ASSAULT"]) == 2018
    assert 2010 <= min(years["CRIMINAL SEXUAL ASSAULT"]) < 2019
    assert max(years["RITUALISM"]) <= 2007
    assert min(years["CONCEALED CARRY LICENSE VIOLATION"]) >= 2014
    words = list(zip(columns["year"], columns["location_description"], strict=True))
    assert not [year for year, word in words if word == "RESIDENCE - GARAGE" and year < 2019]
    assert not [year for year, word in words if word == "RESIDENCE-GARAGE" and year >= 2019]
    assert any("  " in text for text in columns["description"])


def test_combinations_are_real_ones(columns):
    from include.source.simulator.generator.facts import load_facts

    found = set(zip(columns["primary_type"], columns["iucr"], columns["description"], columns["fbi_code"], strict=True))
    assert found <= set(load_facts().combos)


# Share in the generated rows: field, condition, the real share (all years or as named), tolerance.
SHARES = [
    ("primary_type", lambda v: v == "THEFT", 0.232, 0.012),
    ("primary_type", lambda v: v == "BATTERY", 0.181, 0.012),
    ("arrest", bool, 0.253, 0.015),
    ("domestic", bool, 0.142, 0.012),
    ("location_description", lambda v: v == "STREET", 0.235, 0.015),
    ("date", lambda v: v.minute == 0, 0.344, 0.012),
    ("date", lambda v: v.minute == 30, 0.1535, 0.012),
    ("date", lambda v: (v.hour, v.minute) == (12, 0), 0.025, 0.006),
    ("date", lambda v: (v.hour, v.minute) == (0, 0), 0.0118, 0.003),
    ("date", lambda v: (v.hour, v.minute) == (0, 1), 0.0115, 0.003),
    ("date", lambda v: v.second != 0, 0.002, 0.001),
    ("date", lambda v: v.day == 1, 0.040, 0.004),
    ("date", lambda v: v.hour >= 12, 0.634, 0.02),
    ("date", lambda v: v.month in (6, 7, 8), 0.276, 0.01),
    ("latitude", lambda v: v is None, 0.0095, 0.004),
    ("district", lambda v: v == "011", 0.070, 0.012),
    ("community_area", lambda v: v == "25", 0.06, 0.02),
    ("updated_on", lambda v: str(v) == "2018-02-10 15:50:01", 0.45, 0.15),
]


@pytest.mark.parametrize(("field", "wanted", "real", "tolerance"), SHARES)
def test_shares_are_those_of_the_real_rows(columns, field, wanted, real, tolerance):
    assert abs(share(columns[field], wanted) - real) <= tolerance


def test_rates_follow_the_years(columns):
    def rate(field: str, years: range) -> float:
        inside = [value for value, year in zip(columns[field], columns["year"], strict=True) if year in years]
        return share(inside, bool)

    assert abs(rate("arrest", range(2001, 2008)) - 0.300) < 0.02
    assert abs(rate("arrest", range(2016, 2019)) - 0.195) < 0.02
    assert abs(rate("arrest", range(2021, 2024)) - 0.121) < 0.02
    assert abs(rate("domestic", range(2001, 2004)) - 0.120) < 0.02
    assert abs(rate("domestic", range(2021, 2025)) - 0.187) < 0.02
    per_year = Counter(columns["year"])
    assert 1.7 < per_year[2001] / per_year[2017] < 1.95
    assert 0.7 < per_year[2020] / per_year[2019] < 0.9
    hours = Counter(value.hour for value in columns["date"])
    assert min(hours, key=hours.__getitem__) in (4, 5, 6)
    first_of_january = sum(1 for value in columns["date"] if (value.month, value.day) == (1, 1))
    assert 1.4 < first_of_january / (len(columns["date"]) / 365.25) < 2.4


def test_real_quirks_show(columns):
    by_year = {2001: [], 2002: [], 2010: []}
    for ward, area, year in zip(columns["ward"], columns["community_area"], columns["year"], strict=True):
        assert (ward is None) == (area is None)
        if year in by_year:
            by_year[year].append(ward is None)
    assert share(by_year[2001], bool) > 0.98
    assert 0.24 < share(by_year[2002], bool) < 0.31
    assert share(by_year[2010], bool) == 0
    places = list(zip(*(columns[n] for n in ("x_coordinate", "y_coordinate", "latitude", "longitude")), strict=True))
    zero = [place for place in places if place[0] == 0]
    assert set(zero) == {(0, 0, 36.619446395, -91.686565684)}
    assert all(all(v is None for v in place) or None not in place for place in places)
    inside = [place for place in places if place[0]]
    assert all(41.6 < lat < 42.1 and -87.95 < lon < -87.5 for _, _, lat, lon in inside)
    assert {"061", "031"} <= set(columns["district"])
    assert 0 in columns["ward"]
    assert "0" in columns["community_area"]
    assert columns["location_description"].count(None) > 20
    assert any(block != block.upper() for block in columns["block"])
    odd = [case for case in columns["case_number"] if case is None or not case[-6:].isdigit() or case.isdigit()]
    assert 5 < len(odd) < 60
    shared = Counter(case for case, kind in zip(columns["case_number"], columns["primary_type"], strict=True) if case)
    doubled = {case for case, count in shared.items() if count > 1 and case != "TESTTEST"}
    kinds = {
        kind for case, kind in zip(columns["case_number"], columns["primary_type"], strict=True) if case in doubled
    }
    assert doubled
    assert kinds == {"HOMICIDE"}
    assert max(Counter(columns["updated_on"]).values()) > 1000
    assert all(stamp >= when for stamp, when in zip(columns["updated_on"], columns["date"], strict=True))


def test_places_agree_with_each_other(columns):
    # A beat lies in a city of wards and areas: the pairs are those of the real joint counts, quirks apart.
    from include.source.simulator.generator.facts import load_facts

    cells = {(cell[1], cell[2], cell[3]) for cell in load_facts().cells}
    found = zip(columns["beat"], columns["ward"], columns["community_area"], strict=True)
    assert all(cell in cells for cell in found if cell[1] and cell[2] != "0")


def test_state_plane_feet_match_the_published_ones():
    from include.source.simulator.generator.projection import to_feet

    published = [
        (41.880224549, -87.688248952, 1159921, 1899604),
        (41.894009145, -87.751482327, 1142667, 1904504),
        (41.687958232, -87.636339892, 1174625, 1829654),
        (36.619446395, -91.686565684, 0, 0),
    ]
    latitude, longitude, x, y = (np.array(column) for column in zip(*published, strict=True))
    east, north = to_feet(latitude, longitude)
    assert np.abs(east - x).max() < 1
    assert np.abs(north - y).max() < 1


def test_paging_by_update_meets_each_row_once(generated):
    with serve(generated) as handle, client_of(handle, timeout=60) as client:
        seen, stamp, last = [], "2018-02-10T00:00:00.000Z", 0
        select, order = ":updated_at, id", ":updated_at, id"
        total = int(client.get(DATASET, select="count(*)", where=f":updated_at > '{stamp}'")[0]["count"])
        while page := client.get(
            DATASET,
            content_type="csv",
            select=select,
            order=order,
            limit=9_000,
            where=f":updated_at > '{stamp}' or (:updated_at = '{stamp}' and id > {last})",
        )[1:]:
            seen += [row[1] for row in page]
            stamp, last = page[-1][0], int(page[-1][1])
    assert len(seen) == len(set(seen)) == total > 20_000


def test_written_rows_are_the_served_ones(tmp_path: Path):
    target = io.BytesIO()
    count = write_generated(target, rows=2_000, seed=9, as_of=date(2026, 10, 1))
    write_generated(tmp_path / "rows.csv.gz", rows=2_000, seed=9, as_of=date(2026, 10, 1))
    assert gzip.decompress((tmp_path / "rows.csv.gz").read_bytes()) == target.getvalue()
    records = list(csv.DictReader(io.StringIO(target.getvalue().decode())))
    with serve(generate_store(rows=2_000, seed=9, as_of=date(2026, 10, 1))) as handle, client_of(handle) as client:
        served = client.get(DATASET, content_type="csv", select=":updated_at,*", order="id", limit=5_000)
    assert [list(record.values()) for record in records] == served[1:]
    assert len(records) == count
