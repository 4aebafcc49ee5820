from datetime import UTC, datetime, timedelta

import pytest

from include.errors import RefusedError, UsageError
from include.ingest import IngestRequest
from include.ingest.plan import RawState, check_shrink, check_source, choose_mode, plan_full, plan_increment, plan_since
from include.source import Extent, MonthCount, SourceMixError, SourceSpec

SPEC = SourceSpec("socrata", "http://a", "ijzp-q8t2", identity="socrata:a/ijzp-q8t2")
MARK = datetime(2024, 3, 11, 12, tzinfo=UTC)
EMPTY = RawState(0, None, None)
LOADED = RawState(1_000, SPEC.identity, MARK)
OTHER = RawState(1_000, "file:sha256=1", None)


def months(*rows_and_means):
    return {f"2024-{n:02}": MonthCount(rows, rows * mean) for n, (rows, mean) in enumerate(rows_and_means, 1)}


def test_ranges_touch_and_are_open_at_both_ends():
    tasks = plan_full(months((100, 1_000), (100, 2_000), (100, 3_000), (100, 4_000)), ranges=4, page_rows=50)
    assert [task.where for task in tasks] == [
        "id <= 1500",
        "id > 1500 AND id <= 2500",
        "id > 2500 AND id <= 3500",
        "id > 3500",
    ]
    assert [task.name for task in tasks] == ["range-0", "range-1", "range-2", "range-3"]


@pytest.mark.parametrize(
    ("counts", "ranges", "page_rows", "tasks"),
    [
        (months((100, 1_000)), 4, 50, 2),
        (months((100, 1_000)), 4, 100, 1),
        (months((100, 1_000)), 1, 10, 1),
        ({}, 4, 10, 1),
        ({"": MonthCount(100, 5_000)}, 4, 10, 4),
        (months((100, 1)), 4, 10, 2),
    ],
)
def test_small_sources_need_fewer_ranges(counts, ranges, page_rows, tasks):
    planned = plan_full(counts, ranges=ranges, page_rows=page_rows)
    assert len(planned) == tasks
    assert planned[0].where.startswith("id <=") or tasks == 1


@pytest.mark.parametrize(
    ("mode", "state", "chosen"),
    [
        (None, EMPTY, "full"),
        (None, LOADED, "incremental"),
        (None, OTHER, "full"),
        (None, RawState(1_000, SPEC.identity, None), "full"),
        ("full", LOADED, "full"),
        ("incremental", LOADED, "incremental"),
    ],
)
def test_the_mode_follows_from_what_raw_holds(mode, state, chosen):
    assert choose_mode(IngestRequest(SPEC, mode=mode), state) == chosen


@pytest.mark.parametrize("state", [EMPTY, OTHER])
def test_there_is_no_increment_of_nothing(state):
    with pytest.raises(UsageError):
        choose_mode(IngestRequest(SPEC, mode="incremental"), state)


def test_another_source_needs_to_be_asked_for():
    with pytest.raises(SourceMixError):
        check_source(IngestRequest(SPEC), OTHER)
    check_source(IngestRequest(SPEC, replace_source=True), OTHER)
    check_source(IngestRequest(SPEC), LOADED)
    check_source(IngestRequest(SPEC), EMPTY)


@pytest.mark.parametrize(
    ("rows", "state", "force", "stops"),
    [(990, LOADED, False, False), (989, LOADED, False, True), (989, LOADED, True, False), (1, OTHER, False, False)],
)
def test_a_shrunken_source_stops(rows, state, force, stops):
    request = IngestRequest(SPEC, force=force)
    if stops:
        with pytest.raises(RefusedError, match="11 fewer"):
            check_shrink(Extent(rows, None), state, request=request, limit=0.01)
    else:
        check_shrink(Extent(rows, None), state, request=request, limit=0.01)


def test_an_increment_starts_before_the_watermark_or_where_asked():
    overlap = timedelta(hours=24)
    assert plan_since(None, MARK, overlap=overlap) == datetime(2024, 3, 10, 12, tzinfo=UTC)
    asked = datetime(2020, 1, 1, tzinfo=UTC)
    assert plan_since(asked, MARK, overlap=overlap) == asked
    with pytest.raises(UsageError):
        plan_since(None, None, overlap=overlap)


def test_the_start_of_an_increment_is_written_in_utc():
    central = datetime.fromisoformat("2024-03-10T06:30:00-06:00")
    assert plan_increment("i", since=central).where == ":updated_at > '2024-03-10T12:30:00.000Z'"
