from datetime import datetime, timedelta

import pytest

from include.errors import RefusedError, TransientError
from include.ingest import IngestRequest, begin_run, finish_run, plan_run, run_freshness_check
from include.warehouse import SnapshotHeldError, Warehouse, WarehouseDownError
from tests.support.inbox import open_inbox
from tests.support.incidents import incident

ROWS = [incident(number) for number in range(1, 51)]
MORE = [*ROWS, incident(51, updated_at="2024-03-12T00:00:00.000Z")]
YESTERDAY = f"{datetime.now() - timedelta(days=1):%Y-%m-%dT13:30:00.000}"


@pytest.fixture
def inbox():
    with open_inbox() as opened:
        yield opened


@pytest.fixture
def settings(settings, inbox):
    return settings.model_copy(
        update={"smtp_url": inbox.smtp_url, "mail_to": "team@example.org", "webhook_url": inbox.webhook_url}
    )


def test_a_success_is_a_short_summary(ingest, source, inbox):
    result = ingest(source.serve([incident(1, date=YESTERDAY), incident(2)]))
    assert inbox.subjects == [f"Chicago crime data: published {result.snapshot_id}"]
    assert "Rows: 2 received, 2 inserted, 0 updated" in inbox.mails[0].get_content()
    (post,) = inbox.posts
    assert post["text"].startswith(inbox.subjects[0])
    assert (post["status"], post["inserted"], post["error"]) == ("published", 2, None)


def test_a_source_that_stopped_updating_is_in_the_subject(ingest, source, inbox, new_warehouse, settings):
    ingest(source.serve(ROWS))
    ingest(source.serve(ROWS))
    assert [subject.rpartition(",")[2] for subject in inbox.subjects] == [" but not fresh"] * 2
    assert inbox.subjects[1] == "Chicago crime data: nothing changed, but not fresh"
    assert "see whether the City still publishes" in inbox.mails[1].get_content()
    run_freshness_check(new_warehouse, settings=settings)
    assert inbox.subjects[2] == "Chicago crime data: not fresh"


def test_a_failure_says_where_and_what(ingest, source, inbox):
    with pytest.raises(TransientError):
        ingest(source.serve(ROWS, faults=["500:*"]))
    assert inbox.subjects == ["Chicago crime data: ingestion failed"]
    text = " ".join(inbox.mails[0].get_content().split())
    assert "At stage plan: " in text
    assert "the source failed on its side (500" in text
    assert "No snapshot is published" in text
    assert inbox.posts[0]["error"]["kind"] == "SourceBusyError"


def test_a_held_snapshot_names_who_blocks(ingest, source, inbox, new_warehouse, raw):
    ingest(source.serve(ROWS))
    with new_warehouse.owner() as reader:
        pid = reader.execute("SELECT pg_backend_pid() FROM public.crime_incidents").fetchone()[0]
        with pytest.raises(SnapshotHeldError):
            ingest(source.serve(MORE))
    ((held,),) = raw("SELECT snapshot_id FROM ops.snapshot WHERE state = 'held'")
    assert inbox.subjects[1] == f"Chicago crime data: snapshot {held} held"
    assert str(pid) in inbox.mails[1].get_content()


def test_a_run_of_tasks_tells_once(new_warehouse, source, settings, inbox):
    request = IngestRequest(source=source.serve(ROWS), mode="incremental", orchestrator="airflow:one").to_dict()
    run_id = begin_run(new_warehouse, request, settings=settings)
    with pytest.raises(Exception, match="nothing to increment"):
        plan_run(new_warehouse, run_id, settings=settings)
    for _ in range(2):
        finish_run(new_warehouse, run_id, settings=settings)
    assert inbox.subjects == ["Chicago crime data: ingestion failed"]


def test_a_mistyped_command_tells_nobody_else(ingest, source, inbox):
    with pytest.raises(Exception, match="nothing to increment"):
        ingest(source.serve(ROWS), mode="incremental")
    assert inbox.mails == []


def test_a_refusal_before_the_run_tells_nobody(new_warehouse, source, settings, inbox):
    spec = source.serve(ROWS)
    begin_run(new_warehouse, IngestRequest(source=spec, orchestrator="airflow:one").to_dict(), settings=settings)
    with pytest.raises(RefusedError, match="one ingestion at a time"):
        begin_run(new_warehouse, IngestRequest(source=spec).to_dict(), settings=settings)
    assert inbox.mails == []


def test_a_run_that_was_killed_is_told_by_the_next(new_warehouse, source, settings, inbox):
    request = IngestRequest(source=source.serve(ROWS)).to_dict()
    killed = begin_run(new_warehouse, request, settings=settings)
    begin_run(new_warehouse, request, settings=settings)
    assert inbox.subjects == ["Chicago crime data: ingestion abandoned"]
    assert killed in inbox.mails[0].get_content()


def test_a_warehouse_that_is_gone_is_told(settings, inbox):
    nowhere = "postgresql://127.0.0.1:9/none"
    with pytest.raises(WarehouseDownError):
        finish_run(Warehouse(nowhere, nowhere, nowhere), "run_x", settings=settings)
    assert inbox.subjects == ["Chicago crime data: ingestion failed"]
    assert "the warehouse does not answer" in inbox.mails[0].get_content()
