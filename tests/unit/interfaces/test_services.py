"""Services of the local stack: stopping one leaves nothing of it, however it ended."""

import json
import os
import sys
import time

import psutil
import pytest

from agent.interfaces.stack.services import find_service, start_service, stop_services

PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def service(tmp_path):
    started = start_service(
        "parent",
        argv=[sys.executable, "-c", PARENT],
        env=dict(os.environ),
        run_dir=tmp_path / "run",
        log_dir=tmp_path / "log",
        cwd=tmp_path,
    )
    deadline = time.monotonic() + 20
    while "ready" not in (tmp_path / "log" / "parent.log").read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    yield started
    stop_services(run_dir=tmp_path / "run")


def test_children_in_sessions_of_their_own_are_stopped_too(service, tmp_path):
    family = [psutil.Process(service.pid), *psutil.Process(service.pid).children(recursive=True)]
    assert len(family) == 3
    assert stop_services(run_dir=tmp_path / "run") == ("parent",)
    assert [member for member in family if member.is_running() and member.status() != psutil.STATUS_ZOMBIE] == []
    assert stop_services(run_dir=tmp_path / "run") == ()


def test_children_of_a_killed_service_are_stopped(service, tmp_path):
    parent = psutil.Process(service.pid)
    child = next(found for found in parent.children() if os.getsid(found.pid) == service.pid)
    apart = next(found for found in parent.children() if os.getsid(found.pid) != service.pid)
    parent.kill()
    psutil.wait_procs([parent], timeout=5)
    assert find_service("parent", run_dir=tmp_path / "run") is None
    assert stop_services(run_dir=tmp_path / "run") == ("parent",)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    apart.kill()


def test_a_recycled_process_id_is_not_taken_for_ours(tmp_path):
    (tmp_path / "run").mkdir()
    mine = psutil.Process()
    record = {"name": "old", "pid": mine.pid, "created": mine.create_time() - 1000, "log": ""}
    (tmp_path / "run" / "old.json").write_text(json.dumps(record))
    assert find_service("old", run_dir=tmp_path / "run") is None
