from datetime import UTC, datetime

import pytest

from include.dataset import SOURCE_FIELDS
from include.ingest.plan import plan_increment
from include.source import Cursor, LandTask, SourceRejectedError, plan_ids
from include.source.paging import ROW_COLUMNS, START, plan_page, plan_where

BY_ID = LandTask("range-1", "id", where="id > 10 AND id <= 20")
BY_TIME = plan_increment("increment", since=datetime(2024, 3, 10, 6, 30, 0, 5_000, tzinfo=UTC))

WHERE = {
    "first of a range": (BY_ID, START, "(id > 10 AND id <= 20)"),
    "next of a range": (BY_ID, Cursor(None, 15), "(id > 10 AND id <= 20) AND id > 15"),
    "first of everything": (LandTask("range-0", "id"), START, ""),
    "next of everything": (LandTask("range-0", "id"), Cursor(None, 7), "id > 7"),
    "first of an increment": (BY_TIME, START, "(:updated_at > '2024-03-10T06:30:00.005Z')"),
    "next of an increment": (
        BY_TIME,
        Cursor("2024-03-11T00:00:00.123Z", 44),
        "(:updated_at > '2024-03-10T06:30:00.005Z') AND (:updated_at > '2024-03-11T00:00:00.123Z' OR"
        " (:updated_at = '2024-03-11T00:00:00.123Z' AND id > 44))",
    ),
    "ids": (plan_ids("missed", ids=(3, 5)), START, "(id IN (3, 5))"),
}


@pytest.mark.parametrize(("task", "cursor", "where"), WHERE.values(), ids=WHERE)
def test_the_condition_of_the_next_page(task, cursor, where):
    assert plan_where(task, cursor) == where


def test_a_page_names_its_columns_order_and_limit_and_no_offset():
    page = plan_page(BY_TIME, START, limit=50)
    assert page["order"] == ":updated_at, id"
    assert page["limit"] == "50"
    assert "offset" not in page
    assert page["select"].split(", ") == list(ROW_COLUMNS)
    assert set(ROW_COLUMNS) == {field.name for field in SOURCE_FIELDS}
    assert len(ROW_COLUMNS) == 22
    assert ":id" not in ROW_COLUMNS
    assert "location" not in ROW_COLUMNS


def test_a_task_survives_json():
    assert LandTask.from_dict(BY_TIME.to_dict()) == BY_TIME


def test_a_key_that_is_no_time_is_refused():
    with pytest.raises(SourceRejectedError):
        plan_where(BY_TIME, Cursor("' OR 1=1", 1))
