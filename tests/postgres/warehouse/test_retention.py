import pytest

from include.errors import UsageError
from include.warehouse import Warehouse, run_publish, run_retention


def schemas(warehouse: Warehouse) -> set[str]:
    with warehouse.owner() as conn:
        return {row[0] for row in conn.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'snap%'")}


def publish(warehouse: Warehouse, make_snapshot, names: str) -> None:
    for letter in names:
        make_snapshot(warehouse, f"snap_{letter}")
        run_publish(warehouse, f"snap_{letter}", patience=0)


def test_keeps_the_newest(new_warehouse, make_snapshot):
    publish(new_warehouse, make_snapshot, "abcde")
    result = run_retention(new_warehouse, keep=3)
    assert result.dropped == ("snap_a", "snap_b")
    assert result.kept == ()
    assert schemas(new_warehouse) == {"snap_c", "snap_d", "snap_e"}
    assert run_retention(new_warehouse, keep=3).dropped == ()
    with new_warehouse.owner() as conn:
        states = dict(conn.execute("SELECT snapshot_id, state FROM ops.snapshot").fetchall())
    assert (states["snap_a"], states["snap_c"], states["snap_e"]) == ("dropped", "superseded", "published")


def test_a_referenced_snapshot_stays_and_is_reported(new_warehouse, make_snapshot):
    publish(new_warehouse, make_snapshot, "abc")
    with new_warehouse.analyst() as conn:
        conn.execute("CREATE VIEW old_wards AS SELECT * FROM snap_a.ward_names")
    result = run_retention(new_warehouse, keep=1)
    assert result.dropped == ("snap_b",)
    assert [kept.snapshot_id for kept in result.kept] == ["snap_a"]
    assert "old_wards" in result.kept[0].reason
    with new_warehouse.analyst() as conn:
        assert conn.execute("SELECT count(*) FROM old_wards").fetchone() == (1,)
        conn.execute("DROP VIEW old_wards")
    assert run_retention(new_warehouse, keep=1).dropped == ("snap_a",)


def test_a_snapshot_being_read_stays(new_warehouse, make_snapshot):
    publish(new_warehouse, make_snapshot, "ab")
    with new_warehouse.reader() as conn:
        conn.execute("SELECT count(*) FROM snap_a.crime_incidents")
        result = run_retention(new_warehouse, keep=1)
    assert [(kept.snapshot_id, kept.reason) for kept in result.kept] == [("snap_a", "a session is reading it")]


def test_a_snapshot_under_benchmark_stays(new_warehouse, make_snapshot):
    publish(new_warehouse, make_snapshot, "ab")
    with new_warehouse.owner() as conn:
        conn.execute(
            "INSERT INTO ops.benchmark_run (bench_id, batch_id, snapshot_id, fingerprint, question_set, arm, strategy,"
            " relevance, answers, repeat_no, status) VALUES ('x', 'x', 'snap_a', '', '', '', '', '', '', 1, 'running')"
        )
    assert run_retention(new_warehouse, keep=1).kept[0].reason == "a benchmark is running on it"
    with new_warehouse.owner() as conn:
        conn.execute("UPDATE ops.benchmark_run SET status = 'finished'")
    assert run_retention(new_warehouse, keep=1).dropped == ("snap_a",)


def test_leftovers_of_ended_runs_go_those_of_a_running_one_stay(new_warehouse, make_snapshot):
    with new_warehouse.owner() as conn:
        conn.execute("INSERT INTO ops.source (kind, identity) VALUES ('file', 'x')")
        for run_id, status in (("live", "running"), ("dead", "abandoned")):
            conn.execute(
                "INSERT INTO ops.ingest_run (run_id, source_id, mode, status) SELECT %s, source_id, 'full', %s"
                " FROM ops.source",
                (run_id, status),
            )
    for name, state, run_id in (
        ("snap_live", "candidate", "live"),
        ("snap_dead", "candidate", "dead"),
        ("snap_held", "held", "dead"),
    ):
        make_snapshot(new_warehouse, name, state=state, run_id=run_id)
    assert run_retention(new_warehouse, keep=1).dropped == (), (
        "what is newer than the published one can still be published"
    )
    publish(new_warehouse, make_snapshot, "z")
    make_snapshot(new_warehouse, "snap_torn", state="building", run_id="dead")
    assert run_retention(new_warehouse, keep=1).dropped == ("snap_dead", "snap_held", "snap_torn")
    assert schemas(new_warehouse) == {"snap_live", "snap_z"}


def test_keep_at_least_one(warehouse):
    with pytest.raises(UsageError, match="at least 1"):
        run_retention(warehouse, keep=0)
