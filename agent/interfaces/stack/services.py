"""Detached processes of the local stack: started in a session of their own, recorded in a file each, stopped as groups.

A record names the process id and its creation time, so that a recycled id is never taken for ours.
"""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from include.errors import TerminalError

STOP_PATIENCE = 20.0


@dataclass(frozen=True)
class Service:
    """A process the stack started: its name, id, creation time (epoch seconds) and log file."""

    name: str
    pid: int
    created: float
    log: str


def start_service(
    name: str, *, argv: Sequence[str], env: Mapping[str, str], run_dir: Path, log_dir: Path, cwd: Path
) -> Service:
    """Start `argv` detached and record it; a service of that name that still runs is returned as it is."""
    running = find_service(name, run_dir=run_dir)
    if running is not None:
        return running
    run_dir.mkdir(parents=True, exist_ok=True)
    log_dir.mkdir(parents=True, exist_ok=True)
    log = log_dir / f"{name}.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            argv,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    service = Service(name=name, pid=process.pid, created=psutil.Process(process.pid).create_time(), log=str(log))
    (run_dir / f"{name}.json").write_text(json.dumps(asdict(service)))
    return service


def find_service(name: str, *, run_dir: Path) -> Service | None:
    """Return the recorded service if its process still runs."""
    record = run_dir / f"{name}.json"
    if not record.exists():
        return None
    service = Service(**json.loads(record.read_text()))
    return service if _alive(service) else None


def require_alive(service: Service) -> None:
    """Raise `TerminalError` with the end of the log when the process has ended."""
    if not _alive(service):
        tail = "\n".join(Path(service.log).read_text(errors="replace").splitlines()[-15:])
        raise TerminalError(
            f"{service.name} ended by itself; the end of {service.log}:\n{tail}",
            expected="a process that keeps running",
            action="mend what the log says and start again",
        )


def stop_services(*, run_dir: Path) -> tuple[str, ...]:
    """Stop every recorded service with all that came of it, and return the names of those of which something ran."""
    stopped = []
    for record in sorted(run_dir.glob("*.json")):
        service = Service(**json.loads(record.read_text()))
        if _stop(service):
            stopped.append(service.name)
        record.unlink()
    return tuple(stopped)


def stop_service(name: str, *, run_dir: Path) -> bool:
    """Stop one recorded service with all that came of it; False when nothing of it ran."""
    record = run_dir / f"{name}.json"
    if not record.exists():
        return False
    stopped = _stop(Service(**json.loads(record.read_text())))
    record.unlink()
    return stopped


def _alive(service: Service) -> bool:
    try:
        process = psutil.Process(service.pid)
        return abs(process.create_time() - service.created) < 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _stop(service: Service) -> bool:
    """Stop the service with all that came of it; False when nothing of it ran."""
    # Task runners set sessions of their own, so the session alone does not cover them; and when the service itself was
    # killed, its children are nobody's descendants, but still of its session.
    family = {member.pid: member for member in _session(service)}
    if _alive(service):
        process = psutil.Process(service.pid)
        family |= {member.pid: member for member in (process, *process.children(recursive=True))}
    _stop_all(list(family.values()))
    return bool(family)


def _session(service: Service) -> list[psutil.Process]:
    """Return the processes of the session the service began, which is named by its process id."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == service.pid and process.create_time() > service.created - 1:
                found.append(process)
        except (psutil.NoSuchProcess, ProcessLookupError):
            continue
    return found


def _stop_all(family: list[psutil.Process]) -> None:
    for member in family:
        _signal(member, force=False)
    deadline = time.monotonic() + STOP_PATIENCE
    _, left = psutil.wait_procs(family, timeout=max(0.0, deadline - time.monotonic()))
    for member in left:
        _signal(member, force=True)
    psutil.wait_procs(left, timeout=5)


def _signal(process: psutil.Process, *, force: bool) -> None:
    try:
        if force:
            process.kill()
        else:
            process.terminate()
    except psutil.NoSuchProcess:
        return
