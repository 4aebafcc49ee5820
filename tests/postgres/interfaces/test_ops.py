"""`crime ops` and `crime down --purge` on a real server."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.interfaces.cli.app import app
from agent.interfaces.stack import run_down
from include.settings import Settings
from include.warehouse import EmbeddedServer, Warehouse

RUNNER = CliRunner()


@pytest.fixture
def here(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    monkeypatch.setattr(Warehouse, "from_settings", classmethod(lambda *_: warehouse))
    return warehouse


def test_a_backup_is_restored_whole_and_never_over_a_record_by_itself(here: Warehouse, tmp_path: Path) -> None:
    with here.owner() as conn:
        conn.execute("INSERT INTO ops.source (kind, identity) VALUES ('socrata', 'socrata:example.org/abcd-1234')")
    file = tmp_path / "record.zip"
    made = RUNNER.invoke(app, ["ops", "backup", str(file), "--json"])
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["rows"]["source"] == 1
    assert file.stat().st_mode & 0o077 == 0
    again = RUNNER.invoke(app, ["ops", "backup", str(file), "--json"])
    assert again.exit_code == 2
    assert RUNNER.invoke(app, ["ops", "restore", str(file), "--json"]).exit_code == 3
    with here.owner() as conn:
        conn.execute("UPDATE ops.source SET identity = 'changed'")
    assert RUNNER.invoke(app, ["ops", "restore", str(file), "--replace"]).exit_code == 0
    with here.owner() as conn:
        assert conn.execute("SELECT identity FROM ops.source").fetchall() == [("socrata:example.org/abcd-1234",)]


def test_purge_leaves_nothing_of_the_embedded_server(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, home=tmp_path)
    info = EmbeddedServer(tmp_path).start()
    assert info.data_dir.exists()
    assert run_down(settings, purge=True) == ("postgresql",)
    assert not info.data_dir.exists()
    assert not (tmp_path / "server").exists()
    assert run_down(settings, purge=True) == ()
