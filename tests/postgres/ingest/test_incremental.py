from datetime import UTC, datetime

import pytest

from include.errors import UsageError
from tests.support.incidents import incident

MONDAY, TUESDAY, WEDNESDAY = (f"2024-03-{day}T12:00:00.000Z" for day in (11, 12, 13))
BASE = [incident(number, updated_at=MONDAY) for number in range(1, 6)]


def counts(result):
    return (result.inserted, result.updated, result.restamped, result.unchanged, result.deleted)


def test_a_first_load_is_full_and_publishes(ingest, source, raw):
    result = ingest(source.serve(BASE))
    assert result.status == "published"
    assert (result.rows_received, result.row_count, counts(result)) == (5, 5, (5, 0, 0, 0, 0))
    assert raw("SELECT mode, status, rows_landed, pages FROM ops.ingest_run") == [("full", "published", 5, 1)]
    assert raw("SELECT count(*) FROM public.crime_incidents") == [(5,)]
    assert raw("SELECT date_trunc('second', updated_at) FROM ops.watermark") == [
        (datetime(2024, 3, 11, 12, tzinfo=UTC),)
    ]
    assert raw("SELECT count(*) FROM pg_tables WHERE schemaname = 'staging'") == [(0,)]
    assert raw("SELECT conname FROM pg_constraint WHERE conrelid = 'raw.crime'::regclass AND contype = 'p'") == [
        ("crime_pkey",)
    ]


def test_the_second_load_is_an_increment_of_what_changed(ingest, source, raw):
    ingest(source.serve(BASE))
    changed = [
        BASE[0],
        incident(2, updated_at=TUESDAY, arrest="true"),
        incident(3, updated_at=TUESDAY, updated_on="2024-03-12T09:00:00.000"),
        incident(4, updated_at=TUESDAY),
        BASE[4],
        incident(6, updated_at=WEDNESDAY),
    ]
    result = ingest(source.serve(changed))
    assert counts(result) == (1, 1, 1, 3, 0)
    assert result.status == "published"
    assert raw("SELECT mode, distinct_ids FROM ops.ingest_run ORDER BY started_at DESC LIMIT 1") == [("incremental", 6)]
    assert raw('SELECT "ID" FROM public.crime_incidents WHERE "ARREST"') == [(2,)]
    assert raw("SELECT id, updated_on::date::text FROM raw.crime WHERE id IN (3, 4) ORDER BY id") == [
        (3, "2024-03-12"),
        (4, "2024-03-08"),
    ]
    assert raw("SELECT date_trunc('second', updated_at), last_id FROM ops.watermark") == [
        (datetime(2024, 3, 13, 12, tzinfo=UTC), 6)
    ]


def test_rows_older_than_the_overlap_are_not_pulled_again(ingest, source):
    old = [incident(number, updated_at="2024-02-01T00:00:00.000Z") for number in (1, 2)]
    ingest(source.serve([*old, incident(3, updated_at=TUESDAY)]))
    assert ingest(source.serve([*old, incident(3, updated_at=TUESDAY)])).rows_received == 1


def test_nothing_new_makes_no_snapshot(ingest, source, raw):
    first = ingest(source.serve(BASE))
    second = ingest(source.serve(BASE))
    assert (second.status, second.snapshot_id) == ("unchanged", first.snapshot_id)
    assert raw("SELECT count(*) FROM ops.snapshot") == [(1,)]
    assert raw("SELECT status FROM ops.ingest_run ORDER BY started_at") == [("published",), ("unchanged",)]


def test_a_change_and_its_reversal_end_with_the_first_value(ingest, source, raw):
    for updated_at, arrest in ((MONDAY, "false"), (TUESDAY, "true"), (WEDNESDAY, "false")):
        ingest(source.serve([*BASE[:4], incident(5, updated_at=updated_at, arrest=arrest)]))
    assert raw("SELECT id, arrest, deleted_at FROM raw.crime WHERE id = 5") == [(5, False, None)]
    assert raw("SELECT count(*) FROM public.crime_incidents") == [(5,)]


def test_an_empty_text_and_a_missing_one_are_the_same_but_a_changed_null_is_a_change(ingest, source, raw):
    ingest(source.serve([incident(1, updated_at=MONDAY, ward="")]))
    result = ingest(source.serve([incident(1, updated_at=TUESDAY, ward="7")]))
    assert result.updated == 1
    assert raw("SELECT ward FROM raw.crime") == [(7,)]


def test_a_publishers_full_replace_is_an_increment_of_unchanged_rows(ingest, source):
    rows = [incident(number, updated_at=MONDAY) for number in range(1, 251)]
    ingest(source.serve(rows))
    result = ingest(source.serve([row | {":updated_at": WEDNESDAY} for row in rows]))
    assert counts(result) == (0, 0, 0, 250, 0)
    assert result.status == "unchanged"


def test_since_pulls_again_and_never_lowers_the_watermark(ingest, source, raw):
    ingest(source.serve(BASE))
    ingest(source.serve([*BASE, incident(6, updated_at=WEDNESDAY)]))
    before = raw("SELECT updated_at FROM ops.watermark")
    result = ingest(source.serve(BASE), since=datetime(2024, 1, 1, tzinfo=UTC), force=True)
    assert result.unchanged == 5
    assert raw("SELECT updated_at FROM ops.watermark") == before


def test_an_increment_that_leaves_a_gap_does_not_raise_the_watermark(ingest, source, raw):
    ingest(source.serve(BASE))
    before = raw("SELECT updated_at FROM ops.watermark")
    ingest(source.serve([*BASE, incident(6, updated_at=WEDNESDAY)]), since=datetime(2024, 3, 13, tzinfo=UTC))
    assert raw("SELECT updated_at FROM ops.watermark") == before


def test_an_increment_needs_a_full_load(ingest, source, raw):
    with pytest.raises(UsageError, match="nothing to increment"):
        ingest(source.serve(BASE), mode="incremental")
    assert raw("SELECT status, error ->> 'kind' FROM ops.ingest_run") == [("failed", "UsageError")]


def test_json_pages_give_the_same_content(ingest, source, settings, raw):
    ingest(source.serve(BASE))
    hashes = raw("SELECT id, content_hash FROM raw.crime ORDER BY id")
    as_json = settings.model_copy(update={"page_format": "json"})
    result = ingest(source.serve(BASE), settings=as_json, mode="full", force=True)
    assert result.unchanged == 5
    assert raw("SELECT id, content_hash FROM raw.crime ORDER BY id") == hashes
