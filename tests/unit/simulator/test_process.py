import socket
import subprocess
import sys
from pathlib import Path

import pytest

from include.errors import UsageError
from include.settings import PROJECT_ROOT
from include.source.simulator import start_process
from tests.unit.simulator.conftest import DATASET, FIXTURES, client_of


def test_a_process_serves_advances_and_stops(tmp_path: Path):
    process = start_process(rows=5_000, seed=3, weeks=1, as_of="2026-09-01", log=tmp_path / "logs" / "simulator.log")
    try:
        assert process.identity == "generator:seed=3,rows=5000,start=2001"
        with client_of(process) as client:
            newest = client.get(DATASET, select="max(date) as d, count(*) as n")[0]
            assert "2026-09-06" <= newest["d"][:10] <= "2026-09-08"
            assert int(newest["n"]) == process.rows
            process.advance(4)
            later = client.get(DATASET, select="max(date) as d, count(*) as n")[0]
            assert "2026-10-03" <= later["d"][:10] <= "2026-10-06"
    finally:
        process.stop()
    assert not process.is_alive()
    process.stop()
    assert '"url"' in (tmp_path / "logs" / "simulator.log").read_text()


def test_a_process_serves_a_file():
    process = start_process(file=FIXTURES / "crimes_small.csv", app_token="t")
    try:
        with client_of(process, token="t") as client:
            assert client.get(DATASET, select="count(*)") == [{"count": "8"}]
    finally:
        process.stop()


def test_a_process_that_cannot_start_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no file"):
        start_process(file=tmp_path / "absent.csv")
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot be used"):
        start_process(file=FIXTURES / "crimes_small.csv", port=taken.getsockname()[1])


def test_the_command_says_what_is_wrong_in_one_line_and_exits_with_2():
    done = subprocess.run(
        [sys.executable, "-m", "include.source.simulator", "--rows", "5000", "--fault", "flood"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "no fault 'flood'" in done.stderr
