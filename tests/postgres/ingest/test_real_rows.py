"""The real rows, pulled from a simulator through sodapy."""

import csv
import gzip
from datetime import datetime

import pytest

from include.source import SourceSpec
from include.source.simulator import open_store, serve

pytestmark = pytest.mark.real_rows
SPEC = {"kind": "file", "dataset_id": "ijzp-q8t2", "identity": "file:sha256=revisions"}


def stamp(row):
    return datetime.strptime(row["Updated On"], "%m/%d/%Y %I:%M:%S %p")


def test_the_revisions_of_real_rows_give_exactly_the_newer_versions(ingest, raw, shared_data, tmp_path):
    with (shared_data / "real" / "same_id_two_snapshots.csv").open(newline="") as text:
        rows = sorted(csv.DictReader(text), key=stamp)
    versions = {}
    for row in rows:
        versions.setdefault(row["ID"], []).append(row)
    older = [found[0] for found in versions.values()]
    newer = [found[-1] for found in versions.values()]
    assert len(older) == 93
    for number, snapshot in enumerate((older, newer)):
        path = tmp_path / f"snapshot-{number}.csv"
        with path.open("w", newline="") as text:
            # A revision is younger than the last load, whatever its "Updated On" says.
            touched = {":updated_at": f"202{number}-01-01T00:00:00.000Z"}
            writer = csv.DictWriter(text, [*rows[0], *touched])
            writer.writeheader()
            writer.writerows(row | touched for row in snapshot)
        with serve(open_store(path)) as source:
            result = ingest(SourceSpec(url=source.url, **SPEC))
    changed = sum(any(a[k] != b[k] for k in a if k != "Updated On") for a, b in zip(older, newer, strict=True))
    assert (result.inserted, result.deleted) == (0, 0)
    assert (result.updated, result.updated + result.restamped) == (changed, 93)
    found = raw(
        "SELECT id, case_number, date, iucr, description, arrest, district, ward, updated_on, latitude, longitude"
        " FROM raw.crime ORDER BY id"
    )
    assert found == sorted(
        (
            int(row["ID"]),
            row["Case Number"],
            datetime.strptime(row["Date"], "%m/%d/%Y %I:%M:%S %p"),
            row["IUCR"],
            row["Description"],
            row["Arrest"].lower() == "true",
            row["District"] or None,
            int(row["Ward"]) if row["Ward"] else None,
            stamp(row),
            float(row["Latitude"]) if row["Latitude"] else None,
            float(row["Longitude"]) if row["Longitude"] else None,
        )
        for row in newer
    )


def test_the_mixed_years_load_whole(ingest, raw, settings, shared_data):
    path = shared_data / "real" / "crimes_real.csv.gz"
    with gzip.open(path, "rt", newline="", encoding="utf-8-sig") as text:
        expected = {}
        for row in csv.DictReader(text):
            key = (row["Primary Type"].upper(), row["Arrest"].lower() == "true")
            expected[key] = expected.get(key, 0) + 1
    big = settings.model_copy(update={"page_rows": 20_000, "source_timeout": 30})
    with serve(open_store(path)) as source:
        result = ingest(SourceSpec(url=source.url, **SPEC), settings=big)
    assert (result.status, result.row_count, result.rejected) == ("published", 59_811, 0)
    found = raw('SELECT "CRIME_TYPE", "ARREST", count(*) FROM public.crime_incidents GROUP BY 1, 2')
    assert {(kind, arrest): rows for kind, arrest, rows in found} == expected
