"""Processes and locks of the embedded server."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from include.warehouse.account import give_to_owner_of_parent
from include.warehouse.errors import ServerSetupError, WarehouseDownError


@dataclass(frozen=True)
class Postmaster:
    """The main process of a server, from its `postmaster.pid`."""

    pid: int
    port: int
    ready: bool


def read_postmaster(data_dir: Path) -> Postmaster | None:
    """Return the live server process of a data directory, none when there is none (a stale file does not count)."""
    try:
        lines = (data_dir / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    if not is_server(pid, data_dir):
        return None
    port = int(lines[3]) if len(lines) > 3 and lines[3].isdigit() else 0
    return Postmaster(pid=pid, port=port, ready=len(lines) > 7 and lines[7].strip() == "ready")


def is_server(pid: int, data_dir: Path) -> bool:
    """Say whether a process is a live PostgreSQL server on that data directory."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE or not process.name().startswith("post"):
            return False
    except psutil.NoSuchProcess:
        return False
    try:
        return Path(process.cwd()).resolve() == data_dir.resolve()
    except psutil.AccessDenied:
        return True
    except psutil.NoSuchProcess:
        return False


def drop_foreign_pid_file(data_dir: Path) -> None:
    """Remove a `postmaster.pid` whose number now belongs to an unrelated live process.

    PostgreSQL would take that process for the server and refuse to start, as after a restart of a container. A number
    that no process has is left to PostgreSQL, which then looks for survivors of the crash.
    """
    path = data_dir / "postmaster.pid"
    try:
        pid = int(path.read_text(encoding="utf-8").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return
    if psutil.pid_exists(pid) and not is_server(pid, data_dir):
        path.unlink()


def stop_process(pid: int, data_dir: Path, *, patience: float = 60.0) -> None:
    """Stop a server: fast shutdown, then, when that takes longer than `patience` seconds, an immediate one.

    Raises:
        WarehouseDownError: when it outlives both.
    """
    for number, seconds in ((signal.SIGINT, patience), (signal.SIGQUIT, 15.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        if _gone(pid, data_dir, seconds):
            return
    raise WarehouseDownError(
        f"the server process {pid} does not stop", action=f"look at the log beside {data_dir}, then end the process"
    )


@contextmanager
def file_lock(path: Path, *, patience: float = 660.0) -> Iterator[None]:
    """Hold an exclusive lock on a file, between processes; it ends with the process.

    Raises:
        ServerSetupError: when another process holds it for longer than `patience` seconds.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    give_to_owner_of_parent(path)
    try:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ServerSetupError(
                        f"another process has held {path} for {patience:.0f} s",
                        action="wait for the other start or stop of the server, or end it",
                    ) from None
                time.sleep(0.1)
        yield
    finally:
        os.close(handle)


def _gone(pid: int, data_dir: Path, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_server(pid, data_dir):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
