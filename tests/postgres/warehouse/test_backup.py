import stat
import zipfile

import pytest

from include.errors import RefusedError, UsageError
from include.warehouse import Warehouse, check_warehouse, run_backup, run_publish, run_restore
from tests.conftest import fresh_warehouse

TABLES = ("source", "ingest_run", "snapshot", "null_rule_ledger", "query_audit")


@pytest.fixture
def lived(new_warehouse, make_snapshot) -> Warehouse:
    """A warehouse with a record: awkward text, JSON, identities, references."""
    with new_warehouse.owner() as conn:
        conn.execute("INSERT INTO ops.source (kind, identity) VALUES ('file', 'a\tb\\c\nd'), ('file', 'é')")
        conn.execute(
            "INSERT INTO ops.ingest_run (run_id, source_id, mode, status, warnings)"
            " SELECT 'r1', max(source_id), 'full', 'published', '[\"x\\ny\"]' FROM ops.source"
        )
        conn.execute("INSERT INTO ops.null_rule_ledger VALUES ('snap_a', 'WARD', 'none', 7)")
        conn.execute(
            "INSERT INTO ops.query_audit (interface, node, sql_proposed, verdict)"
            " SELECT 'cli', 'run', repeat('SELECT 1; ', n), 'executed' FROM generate_series(1, 500) AS n"
        )
    make_snapshot(new_warehouse, "snap_a", run_id="r1")
    run_publish(new_warehouse, "snap_a", patience=0)
    return new_warehouse


def content(warehouse: Warehouse) -> dict[str, list[tuple[object, ...]]]:
    with warehouse.owner() as conn:
        return {name: conn.execute(f"SELECT * FROM ops.{name} ORDER BY 1, 2").fetchall() for name in TABLES}


def test_a_backup_restores_the_record_elsewhere(lived, tmp_path, pg_admin_url):
    made = run_backup(lived, tmp_path / "ops.zip")
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert {name: made.rows[name] for name in TABLES} == {
        "source": 2,
        "ingest_run": 1,
        "snapshot": 1,
        "null_rule_ledger": 1,
        "query_audit": 500,
    }
    before = content(lived)
    with fresh_warehouse(pg_admin_url) as other:
        restored = run_restore(other, made.path)
        assert restored.rows == made.rows
        assert restored.forgotten == ("snap_a",)
        after = content(other)
        assert {name: after[name] for name in TABLES if name != "snapshot"} == {
            name: before[name] for name in TABLES if name != "snapshot"
        }
        with other.owner() as conn:
            assert conn.execute("SELECT state, note FROM ops.snapshot").fetchall() == [
                ("dropped", "restored from a backup without its tables")
            ]
            again = "INSERT INTO ops.source (kind, identity) VALUES ('file', 'new') RETURNING source_id"
            assert conn.execute(again).fetchone() == (3,), "identities go on behind the restored ones"
        with pytest.raises(RefusedError, match="not empty: source"):
            run_restore(other, made.path)
        assert run_restore(other, made.path, replace=True).rows == made.rows
        assert content(other)["source"] == before["source"]


def test_a_restore_in_place_changes_nothing(lived, tmp_path):
    before = content(lived)
    path = run_backup(lived, tmp_path / "ops.zip").path
    assert run_restore(lived, path, replace=True).forgotten == ()
    assert content(lived) == before
    assert all(finding.ok for finding in check_warehouse(lived))


def test_damaged_foreign_and_later_backups_change_nothing(lived, tmp_path):
    before = content(lived)
    good = run_backup(lived, tmp_path / "ops.zip").path
    with pytest.raises(UsageError, match="exists"):
        run_backup(lived, good)
    with pytest.raises(UsageError, match="cannot be written"):
        run_backup(lived, tmp_path / "absent" / "ops.zip")
    data = good.read_bytes()
    torn, foreign, later, short = (tmp_path / name for name in ("torn", "foreign", "later", "short"))
    torn.write_bytes(data[: len(data) // 2])
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("x", "y")
    rewrite(good, later, '"migrations": [', '"migrations": [9999, ')
    rewrite(good, short, '"query_audit": 500', '"query_audit": 501')
    for path, kind, words in (
        (torn, UsageError, "no sound backup"),
        (foreign, UsageError, "no sound backup"),
        (tmp_path / "none", UsageError, "No such file"),
        (short, UsageError, "instead of"),
        (later, RefusedError, r"unknown migrations \[9999\]"),
    ):
        with pytest.raises(kind, match=words):
            run_restore(lived, path, replace=True)
    assert content(lived) == before


def rewrite(source, target, old, new):
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(target, "w") as made:
        for name in given.namelist():
            text = given.read(name)
            made.writestr(name, text.replace(old.encode(), new.encode()) if name == "manifest.json" else text)
