import pytest

from include.errors import TerminalError
from include.settings import SQL_DIR
from include.warehouse import load_sql
from include.warehouse.migrations import list_migrations, plan_migrations


def write(directory, **files):
    for name, text in files.items():
        (directory / f"{name}.sql").write_text(text)
    return list_migrations(directory)


def test_the_projects_own_migrations_are_numbered_without_gaps():
    versions = [migration.version for migration in list_migrations(SQL_DIR / "ops")]
    assert versions == list(range(1, len(versions) + 1))


def test_only_what_is_missing_is_planned_in_order(tmp_path):
    migrations = write(tmp_path, **{"0010_c": "c", "0002_b": "b", "0001_a": "a", "a_query": "SELECT 1"})
    assert [migration.name for migration in migrations] == ["0001_a.sql", "0002_b.sql", "0010_c.sql"]
    recorded = {1: migrations[0].digest}
    assert [migration.version for migration in plan_migrations(migrations, recorded)] == [2, 10]
    assert plan_migrations(migrations, {migration.version: migration.digest for migration in migrations}) == []


@pytest.mark.parametrize(
    ("recorded", "words"),
    [({1: "other"}, "0001_a.sql was changed after it was applied"), ({9: "x"}, "migration 0009, which this version")],
)
def test_a_database_that_does_not_fit(tmp_path, recorded, words):
    with pytest.raises(TerminalError, match=words):
        plan_migrations(write(tmp_path, **{"0001_a": "a"}), recorded)


@pytest.mark.parametrize("names", [("0001_a", "0001_b"), ("1_a",), ("0001-a",), ("0001_A",)])
def test_bad_names(tmp_path, names):
    with pytest.raises(TerminalError, match=r"NNNN_name\.sql"):
        write(tmp_path, **dict.fromkeys(names, ""))


def test_sql_files():
    assert "CREATE TABLE ops.snapshot" in load_sql("ops/0001_initial.sql")
    with pytest.raises(ValueError, match="outside"):
        load_sql("../pyproject.toml")
    with pytest.raises(FileNotFoundError):
        load_sql("ops/absent.sql")
