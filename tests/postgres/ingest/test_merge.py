"""Landed pages into `raw`, without a source: values that no typed source would give."""

import json

import pytest

from include.errors import RefusedError
from include.ingest import IngestRequest, begin_run, merge_run
from include.ingest.runs import update_run
from include.source import LandingError, LandTask, SourceSpec, task_folder
from include.source.pages import write_page
from include.source.paging import START
from tests.support.incidents import answer, csv_text, incident

SPEC = SourceSpec("file", "http://nowhere", "ijzp-q8t2", identity="file:sha256=test")
TASK = LandTask("range-0", "id")


@pytest.fixture
def merge(new_warehouse, settings):
    """Land a page as it is, merge it and return the counts."""

    def run(body, *, task=TASK, settings=settings, damage=None, **counts):
        run_id = begin_run(new_warehouse, IngestRequest(SPEC).to_dict(), settings=settings)
        folder = task_folder(settings, run_id, task.name)
        folder.mkdir(parents=True)
        page = write_page(answer(body), folder / "page-00000.csv.gz", task=task, after=START)
        entry = page.__dict__ | {"last": page.last.__dict__}
        (folder / "manifest.jsonl").write_text(f"{json.dumps(entry)}\n{json.dumps({'end': 1})}\n")
        if damage:
            damage(folder)
        with new_warehouse.owner() as conn:
            update_run(conn, run_id, plan={"request": IngestRequest(SPEC).to_dict(), "tasks": [task.to_dict()]})
        return merge_run(new_warehouse, run_id, settings=settings)

    return run


def test_columns_may_come_in_any_order(merge, raw):
    columns = sorted(incident(1))
    assert merge(csv_text([incident(1, case_number="X")], columns=columns))["inserted"] == 1
    assert raw("SELECT case_number, iucr, ward, arrest FROM raw.crime") == [("X", "0820", 42, False)]


def test_values_are_typed_and_unaltered(merge, raw):
    row = incident(
        1,
        block="003XX E Randolph St",
        district="031",
        beat="0111",
        location_description='A "B",\nC',
        ward="",
        arrest="",
    )
    merge(csv_text([row]))
    assert raw("SELECT block, district, beat, location_description, ward, arrest, latitude FROM raw.crime") == [
        ("003XX E Randolph St", "031", "0111", 'A "B",\nC', None, None, 41.883500187)
    ]


def test_the_portals_form_of_times_is_read(merge, raw):
    merge(csv_text([incident(1, date="03/01/2024 11:05:00 PM")]))
    assert raw("SELECT date::text FROM raw.crime") == [("2024-03-01 23:05:00",)]


BAD = {
    "id": "12a",
    "ward": "4.5",
    "year": "99999",
    "date": "2024-02-30T00:00:00.000",
    "latitude": "north",
    "arrest": "maybe",
    ":updated_at": "then",
}


@pytest.mark.parametrize(("column", "value"), BAD.items(), ids=BAD)
def test_a_value_that_cannot_be_cast_rejects_its_row_alone(merge, raw, settings, column, value):
    rows = [incident(1), incident(2) | {column: value}, incident(3)]
    lenient = settings.model_copy(update={"reject_limit": 0.5})
    counts = merge(csv_text(rows), settings=lenient)
    assert (counts["inserted"], counts["rejected"], counts["distinct_ids"]) == (2, 1, 3)
    assert raw("SELECT id FROM raw.crime ORDER BY id") == [(1,), (3,)]
    assert raw("SELECT column_name, value, source_row ->> 'case_number' FROM ops.rejected_row") == [
        (column, value, "JH100001")
    ]


def test_a_row_without_an_id_is_rejected(merge, raw, settings):
    lenient = settings.model_copy(update={"reject_limit": 0.5})
    assert merge(csv_text([incident(1), incident("")]), settings=lenient)["rejected"] == 1
    assert raw("SELECT column_name, reason FROM ops.rejected_row") == [("id", "the id is missing")]


def test_over_the_limit_nothing_is_merged_and_the_rows_are_kept(merge, raw):
    with pytest.raises(RefusedError, match=r"1 of 3 rows cannot be kept \(ward: 1 rows, such as 'many'"):
        merge(csv_text([incident(1), incident(2, ward="many"), incident(3)]))
    assert raw("SELECT count(*) FROM raw.crime") == [(0,)]
    assert raw("SELECT column_name, value, settled_at IS NOT NULL FROM ops.rejected_row") == [("ward", "many", True)]
    assert raw("SELECT status FROM ops.ingest_run") == [("running",)]


def test_the_newest_version_of_an_id_that_moved_between_pages_wins(merge, raw):
    rows = [
        incident(7, updated_at="2024-03-10T12:00:00.000Z", arrest="false"),
        incident(8, updated_at="2024-03-10T12:00:00.500Z"),
        incident(7, updated_at="2024-03-11T12:00:00.000Z", arrest="true"),
    ]
    counts = merge(csv_text(rows), task=LandTask("increment", "updated_at"))
    assert (counts["rows_landed"], counts["distinct_ids"], counts["inserted"]) == (3, 2, 2)
    assert raw("SELECT arrest FROM raw.crime WHERE id = 7") == [(True,)]


def test_the_hash_tells_null_from_nothing_and_where_a_text_stands(merge, raw):
    rows = [
        incident(1, case_number="A", block=""),
        incident(2, case_number="", block="A"),
        incident(3, case_number="A|", block=""),
    ]
    merge(csv_text(rows))
    assert raw("SELECT count(DISTINCT content_hash - 0) FROM raw.crime") == [(3,)]


def test_the_hash_leaves_out_when_a_row_was_touched(merge, raw):
    merge(csv_text([incident(1)]))
    (first,) = raw("SELECT content_hash FROM raw.crime")
    merge(csv_text([incident(1, updated_on="2025-01-01T00:00:00.000", updated_at="2025-01-01T00:00:00.000Z")]))
    assert raw("SELECT content_hash FROM raw.crime") == [first]


@pytest.mark.parametrize("name", ["page-00000.csv.gz", "manifest.jsonl"])
def test_a_damaged_landing_is_refused(merge, raw, name):
    def damage(folder):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    with pytest.raises(LandingError):
        merge(csv_text([incident(1), incident(2)]), damage=damage)
    assert raw("SELECT count(*) FROM raw.crime") == [(0,)]
