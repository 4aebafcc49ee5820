"""The comparison of a snapshot with its predecessor, beside a plain one of all rows in Python."""

from collections import Counter
from datetime import datetime

import pytest

from include.errors import RefusedError, UsageError
from include.ingest import run_build
from include.ingest.rules import rules_digest
from include.quality import DiffCounts, compare_snapshots, describe_snapshot, read_diff, run_diff
from tests.postgres.snapshot.conftest import RAW_COLUMNS, TYPICAL

FIRST, SECOND = "run_1", "run_2"
OLD, NEW = "snap_1", "snap_2"
NOWHERE = {"x_coordinate": None, "y_coordinate": None, "latitude": None, "longitude": None}
EARLY, LATE = datetime(2015, 1, 1, 8), datetime(2015, 6, 1, 9)
STAMP = datetime(2015, 5, 5)
STAMPS = {"UPDATED_ON", "DAYS_TO_UPDATE"}
PLACES = {"X_COORDINATE", "Y_COORDINATE", "LATITUDE", "LONGITUDE"}
AT_BLOCK = {"block": "002XX W LAKE ST", "beat": "0112"}

BEFORE = {
    **{number: {} for number in range(1, 12)},
    20: {"date": EARLY, **AT_BLOCK, "latitude": 41.9},
    21: {"date": LATE, **AT_BLOCK, "latitude": 41.95},
    22: {**AT_BLOCK, **NOWHERE},
    23: {"block": "009XX N ELM ST", "beat": "0999", **NOWHERE},
    24: {"block": "008XX N ELM ST", "beat": "0998", "x_coordinate": 0.0, "y_coordinate": 0.0},
    30: {"date": datetime(2016, 2, 1, 1), "year": 2016},
    31: {"date": None, "year": 2016},
    32: {"date": None, "year": 2017},
    40: {"primary_type": None},
}
"""Source rows by id: what differs from a typical one. 22 takes its place from 20, 31 its date from 30."""
CHANGES = {
    1: {"primary_type": "BATTERY"},
    2: {"updated_on": STAMP},
    3: None,
    4: {"district": "061", "arrest": None},
    5: {"year": 2016},
    6: {**NOWHERE},
    20: None,
    24: {"x_coordinate": 1.0, "y_coordinate": 2.0, "latitude": 41.7, "longitude": -87.6},
    25: {"block": "009XX N ELM ST", "beat": "0999"},
    33: {"date": datetime(2017, 7, 7, 7), "year": 2017},
    34: {"date": datetime(2016, 1, 1, 1), "year": 2016},
    35: {"date": datetime(2016, 1, 1, 1), "year": 2016},
    40: {"primary_type": "THEFT"},
    50: {"district": "062"},
}
"""What a second run brings; None is a deletion. 21 gives its place to 22 now, 34 and 35 their date to 31, and 23 and 32
get what no row had for them."""


@pytest.fixture
def conn(new_warehouse):
    with new_warehouse.owner(autocommit=True) as opened:
        opened.execute("INSERT INTO ops.source (kind, identity, is_current) VALUES ('file', 'file:sha256=x', true)")
        write(opened, BEFORE, FIRST)
        build(opened, OLD, FIRST)
        yield opened


def write(conn, rows, run):
    columns = [*RAW_COLUMNS, "content_hash", "first_run", "last_run"]
    names = ", ".join(f'"{name}"' for name in columns)
    merge = ", ".join(f'"{name}" = excluded."{name}"' for name in columns if name not in ("id", "first_run"))
    for row_id, row in rows.items():
        if row is None:
            conn.execute("UPDATE raw.crime SET deleted_at = now(), last_run = %s WHERE id = %s", (run, row_id))
            continue
        whole = {**TYPICAL, **BEFORE.get(row_id, {}), **row, "id": row_id}
        values = [*(whole.get(name) for name in RAW_COLUMNS), 0, run, run]
        conn.execute(
            f"INSERT INTO raw.crime ({names}) VALUES ({', '.join(['%s'] * len(columns))})"
            f" ON CONFLICT (id) DO UPDATE SET {merge}, deleted_at = NULL",
            values,
        )


def build(conn, snapshot_id, run, *, predecessor=None, rules=None):
    result = run_build(conn, schema=snapshot_id)
    conn.execute(
        "INSERT INTO ops.snapshot (snapshot_id, state, source_id, run_id, predecessor_id, row_count, rules)"
        " VALUES (%s, 'candidate', (SELECT source_id FROM ops.source WHERE is_current), %s, %s, %s, %s)",
        (snapshot_id, run, predecessor, result.row_count, rules or rules_digest()),
    )


def rows_of(conn, snapshot_id):
    cursor = conn.execute(f"SELECT * FROM {snapshot_id}.crime_incidents")
    names = [column.name for column in cursor.description]
    return {row[0]: dict(zip(names, row, strict=True)) for row in cursor}


def plain_counts(conn, old_id, new_id):
    """Count by set difference: what was added, removed, restamped, and what differs otherwise, with its cells."""
    old, new = rows_of(conn, old_id), rows_of(conn, new_id)
    kinds = {row_id: "added" for row_id in new.keys() - old.keys()}
    kinds |= {row_id: "removed" for row_id in old.keys() - new.keys()}
    cells = {}
    for row_id in old.keys() & new.keys():
        if names := {name for name, value in new[row_id].items() if value != old[row_id][name]}:
            kinds[row_id] = "restamped" if names <= STAMPS else "other"
            cells[row_id] = names
    return kinds, cells


def assert_as_plain(conn, diff):
    kinds, cells = plain_counts(conn, diff.predecessor_id, diff.snapshot_id)
    new, old = rows_of(conn, diff.snapshot_id), rows_of(conn, diff.predecessor_id)

    def merged(counts):
        parts = (
            ("added", counts.added), ("removed", counts.removed), ("restamped", counts.restamped),
            ("other", counts.changed + counts.imputed),
        )  # fmt: skip
        return {kind: number for kind, number in parts if number}

    assert merged(diff.total) == Counter(kinds.values())
    for name, found in (("CRIME_TYPE", diff.by_type), ("YEAR", diff.by_year)):
        expected = {}
        for row_id, kind in kinds.items():
            expected.setdefault(str(new.get(row_id, old.get(row_id))[name]), Counter())[kind] += 1
        assert {value: merged(counts) for value, counts in found.items()} == expected
    expected = Counter(name for names in cells.values() for name in names)
    assert {n: c.changed + c.imputed + c.restamped for n, c in diff.by_column.items()} == expected


def second_run(conn, changes=CHANGES, **options):
    write(conn, changes, SECOND)
    build(conn, NEW, SECOND, predecessor=OLD, **options)
    return run_diff(conn, NEW)


def test_every_kind_of_change_is_counted_as_it_is(conn):
    diff = second_run(conn)
    # 32 could not be dated before. 24 has a place of its own now; 6 has lost its own, although it takes an equal one.
    assert diff.total == DiffCounts(added=6, changed=6, removed=2, imputed=3, restamped=1)
    assert_as_plain(conn, diff)
    assert diff.by_type["BATTERY"] == DiffCounts(changed=1)
    assert diff.by_year["2017"] == DiffCounts(added=2)
    assert diff.by_column["UPDATED_ON"] == DiffCounts(restamped=1)
    assert diff.by_column["INCIDENT_DATE"] == DiffCounts(imputed=1)
    assert diff.by_column["LATITUDE"] == DiffCounts(changed=1, imputed=2)
    assert "CRIME_CATEGORY" in diff.by_column
    assert compare_snapshots(conn, OLD, NEW) == diff
    assert read_diff(conn, NEW) == diff
    assert describe_snapshot(conn, NEW)["diff"][0]["changed"] == 6


def test_only_rows_that_can_differ_are_read(conn):
    # Planted in the built snapshot alone: a row that neither changed in raw nor has filled cells is not looked at.
    write(conn, {number: {} for number in range(100, 200)}, FIRST)
    build(conn, "snap_wide", FIRST)
    write(conn, {1: {"primary_type": "BATTERY"}}, SECOND)
    build(conn, NEW, SECOND, predecessor="snap_wide")
    conn.execute(f"""UPDATE {NEW}.crime_incidents SET "BLOCK" = 'ELSEWHERE' WHERE "ID" = 150""")
    assert run_diff(conn, NEW).total == DiffCounts(changed=1)
    assert compare_snapshots(conn, "snap_wide", NEW).total == DiffCounts(changed=2)


@pytest.mark.parametrize(
    "disturb",
    ["UPDATE ops.snapshot SET rules = 'earlier'", "UPDATE ops.snapshot SET rules = NULL"],
    ids=["other rules", "unknown rules"],
)
def test_after_a_change_of_the_rules_every_row_is_read(conn, disturb):
    conn.execute(f"{disturb} WHERE snapshot_id = '{OLD}'")
    write(conn, {1: {"arrest": True}}, SECOND)
    build(conn, NEW, SECOND, predecessor=OLD)
    conn.execute(f"""UPDATE {NEW}.crime_incidents SET "CRIME_CATEGORY" = 'OTHER' WHERE "ID" = 2""")
    assert run_diff(conn, NEW).total == DiffCounts(changed=2)


def test_rows_lost_when_raw_was_loaded_anew_are_removed(conn):
    conn.execute("TRUNCATE raw.crime")
    write(conn, {row_id: row for row_id, row in BEFORE.items() if row_id not in (7, 8)}, SECOND)
    build(conn, NEW, SECOND, predecessor=OLD)
    assert run_diff(conn, NEW).total == DiffCounts(removed=2)


def test_a_row_that_came_back_is_added(conn):
    second_run(conn, {3: None})
    write(conn, {3: {}}, "run_3")
    build(conn, "snap_3", "run_3", predecessor=NEW)
    assert run_diff(conn, "snap_3").total == DiffCounts(added=1)
    assert compare_snapshots(conn, OLD, "snap_3").total == DiffCounts()
    build(conn, "snap_4", "run_4", predecessor=OLD)
    assert run_diff(conn, "snap_4").total == DiffCounts()
    assert read_diff(conn, "snap_4").total == DiffCounts()


def test_a_repeated_comparison_replaces_the_first(conn):
    assert second_run(conn) == run_diff(conn, NEW)
    assert read_diff(conn, NEW) == run_diff(conn, NEW)


def test_a_first_snapshot_has_no_diff(conn):
    assert run_diff(conn, OLD) is None
    assert read_diff(conn, OLD) is None
    assert describe_snapshot(conn, OLD)["diff"] == []


def test_what_cannot_be_compared_is_said(conn):
    with pytest.raises(UsageError, match="no snapshot 'snap_none'"):
        compare_snapshots(conn, OLD, "snap_none")
    with pytest.raises(UsageError, match="twice"):
        compare_snapshots(conn, OLD, OLD)
    conn.execute("UPDATE ops.snapshot SET state = 'dropped'")
    with pytest.raises(RefusedError, match="dropped"):
        compare_snapshots(conn, OLD, OLD)
