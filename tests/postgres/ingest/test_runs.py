import threading
from datetime import UTC, datetime, timedelta

import pytest

from include.errors import RefusedError
from include.ingest import (
    IngestRequest,
    begin_run,
    build_run,
    check_run,
    finish_run,
    land_range,
    merge_run,
    plan_run,
    publish_run,
    reconcile_run,
)
from include.ingest.runs import working
from include.source import SourceMixError
from include.warehouse import SnapshotHeldError, WarehouseDownError
from tests.support.incidents import incident

ROWS = [incident(number) for number in range(1, 251)]


def begin(warehouse, spec, settings, orchestrator="airflow:one"):
    request = IngestRequest(source=spec, orchestrator=orchestrator).to_dict()
    return begin_run(warehouse, request, settings=settings)


def test_the_stages_work_one_by_one_as_tasks_do(new_warehouse, source, settings):
    run_id = begin(new_warehouse, source.serve(ROWS), settings)
    tasks = plan_run(new_warehouse, run_id, settings=settings)
    assert [land_range(new_warehouse, run_id, task, settings=settings)["rows"] for task in tasks] == [83, 84, 83]
    assert merge_run(new_warehouse, run_id, settings=settings)["inserted"] == 250
    assert reconcile_run(new_warehouse, run_id, settings=settings) == {"rounds": 0, "deleted": 0, "missed": 0}
    snapshot_id = build_run(new_warehouse, run_id, settings=settings)
    assert build_run(new_warehouse, run_id, settings=settings) == snapshot_id
    assert check_run(new_warehouse, run_id, settings=settings)["snapshot_id"] == snapshot_id
    published = publish_run(new_warehouse, run_id, settings=settings)
    assert published == {"snapshot_id": snapshot_id, "row_count": 250, "newest_incident": "2024-03-01T13:30:00"}
    finished = finish_run(new_warehouse, run_id, settings=settings, error=None)
    assert (finished["status"], finished["inserted"], finished["error"]) == ("published", 250, None)
    assert finish_run(new_warehouse, run_id, settings=settings, error="late")["status"] == "published"


def test_a_second_ingestion_is_refused_while_a_process_works_on_the_first(new_warehouse, source, settings):
    spec = source.serve(ROWS)
    run_id = begin(new_warehouse, spec, settings, orchestrator="cli")
    with working(new_warehouse, run_id, stage="land"), pytest.raises(RefusedError, match=f"{run_id} .*at stage land"):
        begin(new_warehouse, spec, settings, orchestrator="cli")
    assert begin(new_warehouse, spec, settings, orchestrator="cli") != run_id


def test_two_begin_at_once_and_one_wins(new_warehouse, ingest, source):
    spec = source.serve(ROWS)
    outcomes = []

    def run():
        try:
            outcomes.append(ingest(spec).status)
        except RefusedError as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) in (["RefusedError", "published"], ["published", "unchanged"])


@pytest.mark.parametrize(
    ("first", "second", "quiet", "begins"),
    [
        ("cli", "cli", 0, True),
        ("cli", "airflow:two", 0, True),
        ("airflow:one", "airflow:two", 0, True),
        ("airflow:one", "cli", 0, False),
        ("airflow:one", "cli", 16, True),
    ],
)
def test_a_dead_run_is_abandoned_and_one_between_its_tasks_is_not(
    new_warehouse, source, settings, first, second, quiet, begins
):
    spec = source.serve(ROWS)
    run_id = begin(new_warehouse, spec, settings, orchestrator=first)
    with new_warehouse.owner() as conn:
        moment = datetime.now(UTC) - timedelta(minutes=quiet)
        conn.execute("UPDATE ops.ingest_run SET heartbeat_at = %s", (moment,))
    if not begins:
        with pytest.raises(RefusedError, match="one ingestion at a time"):
            begin(new_warehouse, spec, settings, orchestrator=second)
        return
    begin(new_warehouse, spec, settings, orchestrator=second)
    with new_warehouse.owner() as conn:
        row = conn.execute(
            "SELECT status, finished_at IS NOT NULL FROM ops.ingest_run WHERE run_id = %s", (run_id,)
        ).fetchone()
    assert row == ("abandoned", True)
    with pytest.raises(RefusedError, match="is abandoned"):
        plan_run(new_warehouse, run_id, settings=settings)


def test_another_source_is_refused_before_anything_is_pulled(ingest, source, raw):
    ingest(source.serve(ROWS))
    spec, handle = source.open([incident(9)], identity="file:sha256=other")
    with pytest.raises(SourceMixError) as caught:
        ingest(spec)
    assert caught.value.exit_code == 3
    assert "--replace-source" in str(caught.value)
    assert handle.requests == []
    assert raw("SELECT count(*) FROM raw.crime") == [(250,)]


def test_a_replaced_source_leaves_nothing_behind(ingest, source, raw):
    ingest(source.serve(ROWS))
    result = ingest(source.serve([incident(9)], identity="file:sha256=other"), replace_source=True)
    assert (result.inserted, result.row_count, result.status) == (1, 1, "published")
    assert raw("SELECT id FROM raw.crime") == [(9,)]
    assert raw("SELECT identity FROM ops.source WHERE is_current") == [("file:sha256=other",)]
    assert raw("SELECT predecessor_id FROM ops.snapshot WHERE state = 'published'") == [(None,)]
    assert raw("SELECT count(*) FROM ops.watermark") == [(1,)]


def test_a_replacement_that_fails_leaves_the_old_source(ingest, source, raw):
    ingest(source.serve(ROWS))
    spec = source.serve([incident(9)], identity="file:sha256=other", faults=["500:*"])
    with pytest.raises(Exception, match="500"):
        ingest(spec, replace_source=True)
    assert raw("SELECT count(*) FROM raw.crime") == [(250,)]
    assert raw("SELECT identity FROM ops.source WHERE is_current") == [("file:sha256=test",)]


def test_a_task_that_failed_and_was_repeated_leaves_no_error(new_warehouse, source, settings):
    spec = source.serve(ROWS, faults=["html:2"])
    run_id = begin(new_warehouse, spec, settings)
    (task, *_) = plan_run(new_warehouse, run_id, settings=settings)
    with pytest.raises(Exception, match="HTML"):
        land_range(new_warehouse, run_id, task, settings=settings)
    with new_warehouse.owner() as conn:
        assert conn.execute("SELECT error ->> 'stage' FROM ops.ingest_run").fetchone() == ("land range-0",)
    land_range(new_warehouse, run_id, task, settings=settings)
    with new_warehouse.owner() as conn:
        assert conn.execute("SELECT error FROM ops.ingest_run").fetchone() == (None,)


def test_a_run_that_ended_without_saying_why_failed(new_warehouse, source, settings):
    run_id = begin(new_warehouse, source.serve(ROWS), settings)
    plan_run(new_warehouse, run_id, settings=settings)
    finished = finish_run(new_warehouse, run_id, settings=settings, error=None)
    assert (finished["status"], finished["error"]["message"]) == (
        "failed",
        "the run ended at stage plan done without saying why",
    )


def test_a_held_publication_is_told(ingest, source, new_warehouse, raw):
    ingest(source.serve(ROWS))
    with new_warehouse.owner() as reader:
        reader.execute("SELECT count(*) FROM public.crime_incidents").fetchone()
        with pytest.raises(SnapshotHeldError):
            ingest(source.serve([*ROWS, incident(251, updated_at="2024-03-12T00:00:00.000Z")]))
    assert raw("SELECT status FROM ops.ingest_run ORDER BY started_at DESC LIMIT 1") == [("held",)]
    assert raw("SELECT state FROM ops.snapshot ORDER BY built_at DESC LIMIT 1") == [("held",)]


def test_a_failing_gate_refuses_and_publishes_nothing(ingest, source, raw, monkeypatch):
    first = ingest(source.serve(ROWS))
    monkeypatch.setattr("include.ingest.merge.Staging.keep_newest", lambda self: 1)
    with pytest.raises(RefusedError, match="ids accounted for"):
        ingest(source.serve([*ROWS, incident(251, updated_at="2024-03-12T00:00:00.000Z")]))
    assert raw("SELECT snapshot_id FROM ops.snapshot WHERE state = 'published'") == [(first.snapshot_id,)]
    assert raw("SELECT state FROM ops.snapshot ORDER BY built_at DESC LIMIT 1") == [("refused",)]
    assert raw("SELECT name FROM ops.quality_result WHERE NOT passed AND severity = 'critical'") == [
        ("ids accounted for",)
    ]
    monkeypatch.undo()


def test_what_an_unpublished_run_merged_is_published_by_the_next(ingest, source, raw, monkeypatch):
    ingest(source.serve(ROWS))
    changed = [*ROWS, incident(251, updated_at="2024-03-12T00:00:00.000Z")]
    with monkeypatch.context() as patched:
        patched.setattr("include.ingest.snapshot.run_build", failing_build)
        with pytest.raises(WarehouseDownError):
            ingest(source.serve(changed))
    assert raw("SELECT state FROM ops.snapshot ORDER BY built_at DESC LIMIT 1") == [("dropped",)]
    result = ingest(source.serve(changed))
    assert (result.inserted, result.status, result.row_count) == (0, "published", 251)


def failing_build(*_, **__):
    raise WarehouseDownError("the server went away")
