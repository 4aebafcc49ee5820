from datetime import UTC, datetime

import pytest

from include.errors import UsageError
from include.ingest import begin_run, build_run, finish_run, land_range, merge_run, plan_run, reconcile_run
from include.ingest.request import IngestRequest
from tests.support.incidents import incident

OLD, MONDAY, TUESDAY = "2024-01-05T12:00:00.000Z", "2024-03-11T12:00:00.000Z", "2024-03-12T12:00:00.000Z"
YEARS = {1: "2019", 2: "2019", 3: "2020", 4: "2021", 5: "2021"}
MARK = "SELECT updated_at, last_id FROM ops.watermark"
RUNS = "SELECT status, rows_received, updated, snapshot_id IS NULL FROM ops.ingest_run ORDER BY started_at"


def row(number, **fields):
    year = YEARS[number]
    return incident(number, **{"date": f"{year}-06-01T13:30:00.000", "year": year, "updated_at": OLD} | fields)


BASE = [row(number) for number in YEARS] + [incident(9, updated_at=MONDAY)]


def test_a_year_is_pulled_again_and_the_watermark_stays(ingest, source, raw):
    ingest(source.serve(BASE))
    mark = raw(MARK)
    # Revised without a new :updated_at: an increment would never see it.
    revised = [row(1, arrest="true"), row(3, arrest="true"), *(r for r in BASE if r["id"] not in ("1", "3"))]
    result = ingest(source.serve(revised), year=2019)
    assert (result.rows_received, result.updated, result.unchanged, result.status) == (2, 1, 1, "published")
    assert raw("SELECT id FROM raw.crime WHERE arrest") == [(1,)]
    assert raw(MARK) == mark
    again = ingest(source.serve(revised), year=2019)
    assert (again.updated, again.unchanged, again.status) == (0, 2, "unchanged")


def test_only_the_last_run_of_a_backfill_publishes(ingest, source, raw):
    first = ingest(source.serve(BASE))
    revised = [row(number, arrest="true") for number in YEARS] + BASE[-1:]
    spec = source.serve(revised)
    for year in (2019, 2020):
        assert ingest(spec, year=year, publish=False).status == "merged"
    assert raw("SELECT snapshot_id FROM ops.snapshot") == [(first.snapshot_id,)]
    last = ingest(spec, year=2021)
    assert (last.status, last.row_count) == ("published", 6)
    assert raw('SELECT count(*) FROM public.crime_incidents WHERE "ARREST"') == [(5,)]
    assert raw(RUNS)[1:] == [("merged", 2, 2, True), ("merged", 1, 1, True), ("published", 2, 2, False)]


@pytest.mark.parametrize(
    ("since", "until", "unchanged"),
    [
        ("2024-01-01", "2024-02-01", 5),
        ("2024-01-01", "2024-03-11T12:00:01", 6),
        ("2024-02-01", "2024-03-01", 0),
        ("2024-03-12", "2024-03-13", 0),
    ],
)
def test_a_window_never_lowers_the_watermark_and_hides_no_gap(ingest, source, raw, since, until, unchanged):
    ingest(source.serve(BASE))
    mark = raw(MARK)
    window = {
        name: datetime.fromisoformat(text).replace(tzinfo=UTC) for name, text in (("since", since), ("until", until))
    }
    later = source.serve([*BASE, row(5, updated_at=TUESDAY) | {"id": "12"}])
    result = ingest(later, **window)
    # The row beyond the window is found by the reconciliation.
    assert (result.inserted, result.unchanged, result.row_count) == (1, unchanged, 7)
    assert raw("SELECT updated_at FROM ops.watermark") == [mark[0][:1]]


def test_a_window_needs_a_load_before_it(ingest, source):
    with pytest.raises(UsageError, match="nothing to increment"):
        ingest(source.serve(BASE), year=2019)


def test_the_tasks_of_an_unpublished_run_end_merged(new_warehouse, ingest, source, settings):
    spec = source.serve(BASE)
    ingest(spec)
    request = IngestRequest(source=spec, year=2019, publish=False, orchestrator="airflow:one").to_dict()
    run_id = begin_run(new_warehouse, request, settings=settings)
    for task in plan_run(new_warehouse, run_id, settings=settings):
        land_range(new_warehouse, run_id, task, settings=settings)
    merge_run(new_warehouse, run_id, settings=settings)
    reconcile_run(new_warehouse, run_id, settings=settings)
    assert build_run(new_warehouse, run_id, settings=settings) is None
    assert finish_run(new_warehouse, run_id, settings=settings)["status"] == "merged"
