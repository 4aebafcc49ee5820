import pytest

from include.errors import RefusedError
from tests.support.incidents import incident

OLD = "2024-01-05T12:00:00.000Z"
NEW = "2024-03-13T12:00:00.000Z"


def rows(numbers, **fields):
    return [incident(number, updated_at=OLD, **fields) for number in numbers]


def test_a_deleted_row_is_marked_and_leaves_the_next_snapshot(ingest, source, raw):
    ingest(source.serve(rows(range(1, 301))))
    result = ingest(source.serve(rows(n for n in range(1, 301) if n != 77)))
    assert (result.deleted, result.row_count, result.status) == (1, 299, "published")
    assert raw(
        "SELECT id, last_run = (SELECT max(run_id) FROM ops.ingest_run) FROM raw.crime WHERE deleted_at IS NOT NULL"
    ) == [(77, True)]
    assert raw("SELECT count(*) FROM raw.crime") == [(300,)]


def test_a_row_that_reappears_unchanged_is_revived(ingest, source, raw):
    ingest(source.serve(rows(range(1, 301))))
    ingest(source.serve(rows(n for n in range(1, 301) if n != 77)))
    result = ingest(source.serve(rows(range(1, 301))))
    assert (result.deleted, result.updated, result.row_count) == (0, 1, 300)
    assert raw("SELECT deleted_at FROM raw.crime WHERE id = 77") == [(None,)]


def test_a_row_missed_by_an_earlier_pull_is_pulled_by_its_id(ingest, source, raw, new_warehouse):
    ingest(source.serve(rows(range(1, 301))))
    with new_warehouse.owner() as conn:
        conn.execute("DELETE FROM raw.crime WHERE id IN (5, 250)")
    result = ingest(source.serve(rows(range(1, 301))))
    assert result.inserted == 2
    assert raw("SELECT count(*) FROM raw.crime") == [(300,)]


def test_a_row_that_moved_to_another_month_is_pulled_and_not_deleted(ingest, source, raw):
    ingest(source.serve(rows(range(1, 301))))
    moved = [
        incident(number, updated_at=OLD, **({"date": "2024-02-02T10:00:00.000"} if number == 9 else {}))
        for number in range(1, 301)
    ]
    result = ingest(source.serve(moved))
    assert (result.deleted, result.updated) == (0, 1)
    assert raw("SELECT date::date::text FROM raw.crime WHERE id = 9") == [("2024-02-02",)]


def test_rows_without_a_date_are_compared_too(ingest, source, raw):
    undated = [incident(n, updated_at=OLD, date="", year="2024") for n in (1, 2)]
    ingest(source.serve([*undated, *rows(range(3, 301))]))
    assert ingest(source.serve([undated[0], *rows(range(3, 301))])).deleted == 1
    assert raw("SELECT id FROM raw.crime WHERE deleted_at IS NOT NULL") == [(2,)]


def test_a_source_that_lost_many_rows_stops_the_run_before_anything_is_pulled(ingest, source, raw):
    first = ingest(source.serve(rows(range(1, 301))))
    spec, handle = source.open(rows(range(1, 201)))
    with pytest.raises(RefusedError, match="100 fewer than raw"):
        ingest(spec)
    assert not [request for request in handle.requests if "updated_at >" in str(request)]
    assert raw("SELECT count(*) FROM raw.crime WHERE deleted_at IS NULL") == [(300,)]
    assert raw("SELECT status FROM ops.ingest_run ORDER BY started_at") == [("published",), ("refused",)]
    assert raw("SELECT snapshot_id FROM ops.snapshot WHERE state = 'published'") == [(first.snapshot_id,)]


def test_a_shrunken_source_is_published_by_force(ingest, source):
    ingest(source.serve(rows(range(1, 301))))
    result = ingest(source.serve(rows(range(1, 201))), force=True)
    assert (result.deleted, result.row_count, result.status) == (100, 200, "published")


def test_rows_swapped_one_for_one_stop_the_run(ingest, source, raw):
    ingest(source.serve(rows(range(1, 301))))
    with pytest.raises(RefusedError, match="deleted 50 of 3"):
        ingest(source.serve(rows([*range(51, 301), *range(1001, 1051)])))
    assert raw("SELECT count(*) FROM raw.crime WHERE deleted_at IS NOT NULL") == [(0,)]


def test_rows_inserted_while_the_full_load_runs_are_caught_up(ingest, source, raw):
    spec, handle = source.open(rows(range(1, 5001, 10)), faults=["insert-between-pages:4"])
    result = ingest(spec)
    assert result.row_count == len(handle.site.store) == 505
    assert result.status == "published"
    assert raw("SELECT count(DISTINCT id) FROM raw.crime") == [(505,)]
