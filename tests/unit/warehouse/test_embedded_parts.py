import importlib.util
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

import pytest

from include.warehouse import ServerSetupError, WarehouseFullError, cluster, ports, process
from include.warehouse.account import clean_environ
from include.warehouse.binaries import Binaries, find_binaries
from include.warehouse.state import ServerState, new_state, read_state, write_state
from include.warehouse.tuning import MB, plan_configuration, usable_memory


@pytest.mark.parametrize(
    ("memory", "shared_memory", "lines"),
    [
        (24_576 * MB, 12_000 * MB, ["shared_buffers = '512MB'", "maintenance_work_mem = '256MB'", "work_mem = '32MB'"]),
        (1_024 * MB, None, ["shared_buffers = '128MB'", "maintenance_work_mem = '64MB'", "work_mem = '4MB'"]),
        (100 * MB, 64 * MB, ["shared_buffers = '32MB'", "dynamic_shared_memory_type = mmap"]),
    ],
)
def test_configuration_follows_the_memory(memory, shared_memory, lines):
    text = plan_configuration(port=15_432, memory=memory, shared_memory=shared_memory)
    assert set(lines) <= set(text.splitlines())
    assert ("mmap" in text) == (shared_memory == 64 * MB)
    assert "listen_addresses = '127.0.0.1'" in text
    assert "fsync" not in text, "its default, on, stays"


def test_usable_memory_is_plausible():
    assert 64 * MB < usable_memory() < 2**45


def test_state_is_private_and_complete(tmp_path):
    path = tmp_path / "state.json"
    assert read_state(path) is None
    state = new_state().with_password("a").with_password("b")
    write_state(path, state)
    write_state(path, state)
    assert read_state(path) == state
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert state.with_password("a") == state
    assert len({state.passwords["a"], state.passwords["b"]}) == 2
    assert state.passwords["a"] not in repr(state)
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"unknown": 1}'])
def test_damaged_state(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(ServerSetupError, match="is damaged"):
        read_state(tmp_path / "state.json")


def test_state_without_a_place_keeps_its_defaults():
    assert ServerState(server_id="x") == ServerState("x", 0, None, "", {})


@pytest.mark.parametrize(
    ("words", "kind", "seen"),
    [
        ("LOG: x\nFATAL:  could not write: No space left on device\n", WarehouseFullError, "No space left on device"),
        ("LOG: a\nFATAL:  data directory has wrong ownership\nHINT: b", ServerSetupError, "wrong ownership"),
        ("initdb: error: could not create directory", ServerSetupError, "could not create directory"),
        ("", ServerSetupError, "no message"),
    ],
)
def test_failures_say_what_the_server_said(tmp_path, words, kind, seen):
    error = cluster.start_failure("the server does not start", words, tmp_path / "log")
    assert type(error) is kind
    assert seen in error.seen


@pytest.mark.parametrize(
    "content",
    ["", "x", "1", "99999999", f"{os.getpid()}\n/data\n0\n5432\n\n127.0.0.1\n0 0\nready   \n"],
)
def test_a_pid_file_that_names_no_server(tmp_path, content):
    (tmp_path / "postmaster.pid").write_text(content)
    assert process.read_postmaster(tmp_path) is None


def test_a_foreign_pid_file_goes_a_stale_one_stays(tmp_path):
    path = tmp_path / "postmaster.pid"
    path.write_text("99999999\n")
    process.drop_foreign_pid_file(tmp_path)
    assert path.exists(), "PostgreSQL itself looks for survivors"
    path.write_text(f"{os.getpid()}\n")
    process.drop_foreign_pid_file(tmp_path)
    assert not path.exists()


def test_free_ports():
    port = ports.find_free_port()
    assert ports.is_free(port)
    with socket.create_server(("0.0.0.0", port)):
        assert not ports.is_free(port)
        assert ports.answers(port)
    assert not ports.answers(port)


def test_the_lock_excludes_and_ends_with_its_process(tmp_path):
    path = tmp_path / "lock"
    code = f"import sys; sys.path.insert(0, {os.getcwd()!r})\n" + (
        "from include.warehouse.process import file_lock\nfrom pathlib import Path\nimport time\n"
        f"with file_lock(Path({str(path)!r})):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(ServerSetupError, match="another process has held"), process.file_lock(path, patience=0.3):
        pass
    threading.Timer(0.3, holder.send_signal, [signal.SIGKILL]).start()
    started = time.monotonic()
    with process.file_lock(path, patience=30):
        assert time.monotonic() - started >= 0.2
    holder.wait()
    holder.stdout.close()


def test_the_environment_of_the_server_is_clean(monkeypatch):
    monkeypatch.setenv("PGHOST", "elsewhere")
    monkeypatch.setenv("LC_MESSAGES", "de_DE.UTF-8")
    environ = clean_environ()
    assert "PGHOST" not in environ
    assert environ["LC_ALL"] == "C"
    assert environ["PATH"] == os.environ["PATH"]


def test_without_the_package_the_systems_own_are_found(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    try:
        found = find_binaries()
    except ServerSetupError as error:
        pytest.skip(f"no system PostgreSQL: {error.seen}")
    assert not found.packaged
    assert found.bin_dir.is_absolute()


def test_binaries():
    assert Binaries(bin_dir=os.curdir, version="18.6", packaged=True).major == 18
    assert find_binaries().major >= 15
    with pytest.raises(ServerSetupError, match=r"no PostgreSQL 9 is installed here \(found: 1\d"):
        find_binaries(major=9)
