import threading
import time

import psycopg
import pytest

from include.errors import RefusedError, UsageError
from include.warehouse import (
    SnapshotHeldError,
    Warehouse,
    check_warehouse,
    get_snapshot,
    published_snapshot,
    require_snapshot,
    run_publish,
    run_rollback,
)


def count(conn: psycopg.Connection) -> int:
    row = conn.execute('SELECT count("ID") FROM public.crime_incidents').fetchone()
    assert row is not None
    return row[0]


def states(warehouse: Warehouse) -> dict[str, str]:
    with warehouse.owner() as conn:
        return dict(conn.execute("SELECT snapshot_id, state FROM ops.snapshot").fetchall())


def test_first_publication(new_warehouse, make_snapshot):
    make_snapshot(new_warehouse, "snap_a", rows=3, extra="COMMENT ON TABLE ward_names IS 'The wards'")
    with new_warehouse.owner() as conn, pytest.raises(RefusedError, match="no snapshot is published"):
        require_snapshot(conn, None)
    snapshot = run_publish(new_warehouse, "snap_a", patience=0)
    assert (snapshot.snapshot_id, snapshot.state, snapshot.row_count) == ("snap_a", "published", 3)
    assert snapshot.published_at is not None
    with new_warehouse.analyst() as conn:
        assert count(conn) == 3
        names = [column.name for column in conn.execute("SELECT * FROM crime_incidents").description or ()]
        assert names == ["ID", "CRIME_TYPE", "DISTRICT"]
        assert conn.execute("SELECT district_name FROM district_names").fetchone() == ("One",)
        comment = "SELECT col_description('public.crime_incidents'::regclass, 2)"
        assert conn.execute(comment).fetchone() == ("Primary type",)
        assert conn.execute("SELECT obj_description('public.ward_names'::regclass)").fetchone() == ("The wards",)
    with new_warehouse.reader() as conn:
        assert conn.execute('SELECT count(*) FROM snap_a.crime_incidents AS c GROUP BY "DISTRICT"').fetchall() == [(3,)]
    assert all(finding.ok for finding in check_warehouse(new_warehouse)), check_warehouse(new_warehouse)


def test_publish_again_and_roll_back(new_warehouse, make_snapshot):
    for rows, name in enumerate(("snap_a", "snap_b", "snap_c"), start=1):
        make_snapshot(new_warehouse, name, rows=rows)
        run_publish(new_warehouse, name, patience=0)
    assert states(new_warehouse) == {"snap_a": "superseded", "snap_b": "superseded", "snap_c": "published"}
    assert run_publish(new_warehouse, "snap_c", patience=0).snapshot_id == "snap_c"
    assert run_rollback(new_warehouse).snapshot_id == "snap_b"
    with new_warehouse.analyst() as conn:
        assert count(conn) == 2
    assert run_rollback(new_warehouse).snapshot_id == "snap_a", "a second rollback goes further back, not forth"
    assert states(new_warehouse) == {"snap_a": "published", "snap_b": "superseded", "snap_c": "superseded"}
    with pytest.raises(RefusedError, match="no earlier snapshot"):
        run_rollback(new_warehouse)
    assert run_publish(new_warehouse, "snap_c", patience=0).state == "published"


def test_analysts_views_keep_working(new_warehouse, make_snapshot):
    make_snapshot(new_warehouse, "snap_a", rows=2)
    run_publish(new_warehouse, "snap_a", patience=0)
    with new_warehouse.analyst() as conn:
        conn.execute('CREATE VIEW mine AS SELECT count("ID") AS n FROM crime_incidents')
    make_snapshot(new_warehouse, "snap_b", rows=5, extra='ALTER TABLE crime_incidents ADD COLUMN "NEW" text')
    run_publish(new_warehouse, "snap_b", patience=0)
    with new_warehouse.analyst() as conn:
        assert conn.execute("SELECT n FROM mine").fetchone() == (5,)
        assert conn.execute('SELECT "NEW" FROM crime_incidents LIMIT 1').fetchone() == (None,)
    with pytest.raises(RefusedError, match="columns"):
        run_rollback(new_warehouse)
    assert states(new_warehouse)["snap_b"] == "published", "a view cannot lose a column: nothing moved"


def test_held_by_an_open_transaction(new_warehouse, make_snapshot):
    make_snapshot(new_warehouse, "snap_a", rows=1)
    run_publish(new_warehouse, "snap_a", patience=0)
    make_snapshot(new_warehouse, "snap_b", rows=2)
    with new_warehouse.analyst() as conn:
        assert count(conn) == 1
        pid = conn.info.backend_pid
        with pytest.raises(SnapshotHeldError, match=f"pid {pid} .crime_analyst") as held:
            run_publish(new_warehouse, "snap_b", patience=0.8)
        assert held.value.pids == (pid,)
        assert held.value.exit_code == 3
        assert count(conn) == 1, "the analyst's session lives on"
    assert states(new_warehouse) == {"snap_a": "published", "snap_b": "held"}
    with new_warehouse.owner() as conn:
        assert f"pid {pid}" in (get_snapshot(conn, "snap_b").note or "")
    finding = next(finding for finding in check_warehouse(new_warehouse) if finding.name == "held snapshots")
    assert not finding.ok
    assert "snap_b" in finding.action
    published = run_publish(new_warehouse, "snap_b", patience=0)
    assert (published.state, published.note) == ("published", None)


def test_waits_for_a_transaction_that_ends(new_warehouse, make_snapshot):
    make_snapshot(new_warehouse, "snap_a", rows=1)
    run_publish(new_warehouse, "snap_a", patience=0)
    make_snapshot(new_warehouse, "snap_b", rows=2)
    done: list[str] = []
    with new_warehouse.analyst() as conn:
        count(conn)
        thread = threading.Thread(target=lambda: done.append(run_publish(new_warehouse, "snap_b", patience=30).state))
        thread.start()
        time.sleep(0.7)
        with new_warehouse.analyst() as other:
            started = time.monotonic()
            assert count(other) == 1
            assert time.monotonic() - started < 1, "others hardly queue behind the waiting publication"
        assert not done
    thread.join(timeout=30)
    assert done == ["published"]


def test_a_rollback_that_is_held_changes_nothing(new_warehouse, make_snapshot):
    for name in ("snap_a", "snap_b"):
        make_snapshot(new_warehouse, name)
        run_publish(new_warehouse, name, patience=0)
    with new_warehouse.analyst() as conn:
        count(conn)
        with pytest.raises(SnapshotHeldError):
            run_rollback(new_warehouse, patience=0)
    assert states(new_warehouse) == {"snap_a": "superseded", "snap_b": "published"}


@pytest.mark.parametrize("state", ["building", "refused", "dropped", "variant"])
def test_refused_states(warehouse, make_snapshot, state):
    name = make_snapshot(warehouse, f"snap_{state}", state=state)
    with pytest.raises(RefusedError, match=f"{name} is {state}"):
        run_publish(warehouse, name, patience=0)


def test_incomplete_and_unknown_snapshots(warehouse, make_snapshot):
    name = make_snapshot(warehouse, "snap_torn", extra="DROP TABLE ward_names")
    with pytest.raises(RefusedError, match="lacks ward_names"):
        run_publish(warehouse, name, patience=0)
    with pytest.raises(UsageError, match="no snapshot 'snap_none'"):
        run_publish(warehouse, "snap_none", patience=0)
    with warehouse.owner() as conn:
        assert published_snapshot(conn) is None


def test_two_publications_at_once(new_warehouse, make_snapshot):
    names = [make_snapshot(new_warehouse, f"snap_{letter}") for letter in "abcd"]
    threads = [
        threading.Thread(target=run_publish, args=(new_warehouse, name), kwargs={"patience": 30}) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(states(new_warehouse).values()) == ["published", "superseded", "superseded", "superseded"]
    assert all(finding.ok for finding in check_warehouse(new_warehouse)), check_warehouse(new_warehouse)
