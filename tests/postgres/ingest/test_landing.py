import json
from datetime import UTC, datetime

import pytest

from include.errors import RefusedError, UsageError
from include.ingest import run_landing_retention
from tests.support.incidents import incident

OLD, MONDAY, TUESDAY = "2024-01-05T12:00:00.000Z", "2024-03-11T12:00:00.000Z", "2024-03-12T12:00:00.000Z"
FACTS = 'SELECT * FROM public.crime_incidents ORDER BY "ID"'


def three_weeks(ingest, source):
    """A full load, an increment with a deletion, and one more increment; returns the last source and the runs."""
    first = [incident(n, updated_at=OLD) for n in range(1, 301)]
    second = [*first[1:], incident(5, updated_at=MONDAY, arrest="true"), incident(301, updated_at=MONDAY)]
    second = [row for row in second if not (row["id"] == "5" and row[":updated_at"] == OLD)]
    third = [*second, incident(302, updated_at=TUESDAY)]
    spec = None
    runs = []
    for rows in (first, second, third):
        spec = source.serve(rows)
        runs.append(ingest(spec))
    return spec, runs


def test_a_snapshot_is_rebuilt_from_landed_pages_without_the_source(ingest, source, raw, settings):
    spec, runs = three_weeks(ingest, source)
    facts = raw(FACTS)
    mark = raw("SELECT updated_at FROM ops.watermark")
    dead = spec.__class__(**spec.to_dict() | {"url": "http://127.0.0.1:9"})
    result = ingest(dead, mode="from_landing", landing_run=runs[-1].run_id)
    assert (result.status, result.row_count) == ("published", 301)
    assert raw(FACTS) == facts
    assert raw("SELECT updated_at FROM ops.watermark") == mark
    assert raw("SELECT mode, status FROM ops.ingest_run ORDER BY started_at DESC LIMIT 1") == [
        ("from_landing", "published")
    ]


def test_an_earlier_state_is_rebuilt_and_the_next_increment_goes_on_from_there(ingest, source, raw):
    spec, runs = three_weeks(ingest, source)
    result = ingest(spec, mode="from_landing", landing_run=runs[1].run_id)
    assert result.row_count == 300
    assert raw("SELECT date_trunc('second', updated_at) FROM ops.watermark") == [
        (datetime(2024, 3, 11, 12, tzinfo=UTC),)
    ]
    assert ingest(spec).row_count == 301


def test_a_run_without_landed_pages_is_refused(ingest, source):
    spec, _ = three_weeks(ingest, source)
    with pytest.raises(UsageError, match="has no landed pages"):
        ingest(spec, mode="from_landing", landing_run="run_x")


def test_retention_keeps_what_the_snapshots_are_made_of(ingest, source, settings, new_warehouse):
    _, runs = three_weeks(ingest, source)
    (settings.landing_dir / "run_00000000").mkdir()
    assert run_landing_retention(new_warehouse, settings=settings) == {
        "removed": ["run_00000000"],
        "kept": [run.run_id for run in runs],
    }
    entry = json.loads((settings.landing_dir / runs[1].run_id / "run.json").read_text())
    assert [step["deleted"] for step in entry["steps"] if step["deleted"]] == [[1]]


def test_a_row_that_was_deleted_and_came_back_is_there_again(ingest, source, raw):
    first = [incident(n, updated_at=OLD) for n in range(1, 301)]
    fewer = [row for row in first if row["id"] not in ("7", "8")]
    # One comes back with a new time, the other as it was: only the reconciliation sees that one.
    again = [*fewer, incident(7, updated_at=TUESDAY), incident(8, updated_at=OLD)]
    runs = [ingest(source.serve(rows)) for rows in (first, fewer, again)]
    assert [run.deleted for run in runs] == [0, 2, 0]
    facts = raw(FACTS)
    spec = source.serve(again)
    assert ingest(spec, mode="from_landing", landing_run=runs[1].run_id).row_count == 298
    result = ingest(spec, mode="from_landing", landing_run=runs[2].run_id)
    assert (result.row_count, result.deleted) == (300, 2)
    assert raw(FACTS) == facts
    assert raw("SELECT count(*) FROM raw.crime WHERE deleted_at IS NOT NULL") == [(0,)]


def test_an_empty_increment_at_the_end_keeps_the_watermark(ingest, source, raw, settings):
    rows = [incident(1, updated_at=OLD), incident(2, updated_at=OLD)]
    ingest(source.serve(rows))
    exact = settings.model_copy(update={"overlap_hours": 0})
    last = ingest(source.serve(rows), settings=exact)
    assert last.rows_received in (0, 2)
    mark = raw("SELECT updated_at FROM ops.watermark")
    ingest(source.serve(rows), mode="from_landing", landing_run=last.run_id, force=True)
    assert raw("SELECT updated_at FROM ops.watermark") == mark


def test_what_a_killed_run_deleted_is_replayed(ingest, source, raw, monkeypatch):
    first = [incident(n, updated_at=OLD) for n in range(1, 301)]
    ingest(source.serve(first))
    with monkeypatch.context() as patched:
        patched.setattr("include.ingest.snapshot.run_build", stopping)
        with pytest.raises(KeyboardInterrupt):
            ingest(source.serve(first[2:]))
    last = ingest(source.serve(first[2:]))
    assert (last.status, last.deleted, last.row_count) == ("published", 0, 298)
    assert ingest(source.serve(first), mode="from_landing", landing_run=last.run_id).row_count == 298


def test_a_refused_merge_is_no_part_of_a_chain(ingest, source, settings):
    with pytest.raises(RefusedError, match="cannot be kept"):
        ingest(source.serve([incident(1, year="40000"), incident(2)]))
    assert not list(settings.landing_dir.glob("*/run.json"))


def stopping(*_, **__):
    raise KeyboardInterrupt
