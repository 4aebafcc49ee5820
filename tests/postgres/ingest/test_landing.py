import json
from datetime import UTC, datetime

import pytest

from include.errors import UsageError
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
    assert entry["deleted"] == [1]
