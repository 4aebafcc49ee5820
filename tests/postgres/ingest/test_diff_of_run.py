"""Each ingestion stores how its snapshot differs from the one before."""

from include.quality import DiffCounts, compare_snapshots, read_diff
from tests.support.incidents import incident

MONDAY, TUESDAY = (f"2024-03-{day}T12:00:00.000Z" for day in (11, 12))
BASE = [incident(number, updated_at=MONDAY) for number in range(1, 201)]
NEXT = [
    incident(1, updated_at=TUESDAY, arrest="true"),
    incident(2, updated_at=TUESDAY, updated_on="2024-03-12T09:00:00.000"),
    *BASE[3:],
    incident(201, updated_at=TUESDAY, primary_type="BATTERY"),
]
"""1 is revised, 2 restamped, 3 deleted, 201 new."""
EXPECTED = DiffCounts(added=1, changed=1, removed=1, restamped=1)


def diff_of(warehouse, result):
    with warehouse.owner() as conn:
        return read_diff(conn, result.snapshot_id)


def test_an_increment_is_compared_with_the_snapshot_before(ingest, source, new_warehouse):
    first = ingest(source.serve(BASE))
    second = ingest(source.serve(NEXT))
    assert diff_of(new_warehouse, first) is None
    diff = diff_of(new_warehouse, second)
    assert (diff.predecessor_id, diff.total) == (first.snapshot_id, EXPECTED)
    assert diff.by_type == {
        "THEFT": DiffCounts(changed=1, removed=1, restamped=1),
        "BATTERY": DiffCounts(added=1),
    }
    assert set(diff.by_column) == {"ARREST", "ARREST_STATUS", "UPDATED_ON", "DAYS_TO_UPDATE"}


def test_raw_made_anew_from_landed_pages_is_compared_in_full(ingest, source, new_warehouse):
    ingest(source.serve(BASE))
    second = ingest(source.serve(NEXT))
    third = ingest(source.serve([row for row in NEXT if row["id"] != "9"]))
    again = ingest(source.serve(NEXT), mode="from_landing", landing_run=second.run_id)
    assert diff_of(new_warehouse, third).total == DiffCounts(removed=1)
    assert diff_of(new_warehouse, again).total == DiffCounts(added=1)
    with new_warehouse.owner() as conn:
        assert compare_snapshots(conn, second.snapshot_id, again.snapshot_id).total == DiffCounts()


def test_rows_merged_by_a_run_that_published_nothing_are_in_the_next_diff(ingest, source, new_warehouse):
    ingest(source.serve(BASE))
    ingest(source.serve(NEXT), publish=False)
    assert diff_of(new_warehouse, ingest(source.serve(NEXT))).total == EXPECTED


def test_another_source_is_compared_with_nothing(ingest, source, new_warehouse):
    ingest(source.serve(BASE))
    other = ingest(source.serve(NEXT, identity="file:sha256=other"), replace_source=True)
    assert diff_of(new_warehouse, other) is None
