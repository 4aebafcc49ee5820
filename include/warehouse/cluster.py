"""The data directory of the embedded server: where it lies, how it is made, how a server is started on it."""

import os
import shutil
import time
from pathlib import Path

from include.warehouse.account import Account, give_to_owner_of_parent
from include.warehouse.binaries import Binaries
from include.warehouse.errors import ServerSetupError, WarehouseFullError
from include.warehouse.process import drop_foreign_pid_file
from include.warehouse.state import ADMIN
from include.warehouse.tuning import plan_configuration, usable_memory

ELSEWHERE = Path("/var/lib/chicago-crime")
"""Where root's data lie when the server's account cannot enter the home directory (a clone under /root)."""
_CONF = "server.conf"
"""Beside the data directory, where the server's account cannot write: root must not follow a link planted in it."""
_LOG_LIMIT = 16 * 2**20
_SURVIVORS = "pre-existing shared memory block"


def make_directories(path: Path) -> None:
    """Make a directory and its missing parents, open to be passed through whatever the umask; existing ones stay.

    What root makes in somebody else's directory is handed over to them.
    """
    missing = [part for part in (path, *path.parents) if not part.exists()]
    for part in reversed(missing):
        part.mkdir(exist_ok=True)
        part.chmod(0o755)
        give_to_owner_of_parent(part)


def choose_place(base: Path, *, server_id: str, account: Account) -> Path:
    """Return the directory for data and log: `base` if the server's account can enter it, else one under /var/lib."""
    if account.can_enter(base):
        return base
    place = ELSEWHERE / server_id
    make_directories(place)
    if not account.can_enter(place):
        raise ServerSetupError(
            f"the account {account.name} can enter neither {base} nor {place}",
            expected="a directory it can reach: PostgreSQL refuses to run as root",
            action="set CRIME_HOME to such a directory",
        )
    return place


def read_major(data_dir: Path) -> int | None:
    """Return the major version a data directory was made by, none when there is no directory.

    Raises:
        ServerSetupError: when the directory is no data directory.
    """
    if not data_dir.exists():
        return None
    try:
        return int((data_dir / "PG_VERSION").read_text(encoding="utf-8").strip())
    except (FileNotFoundError, ValueError) as error:
        raise ServerSetupError(
            f"{data_dir} is not a PostgreSQL data directory (no valid PG_VERSION)",
            action=f"move {data_dir.parent} away and start anew, or set CRIME_HOME to another directory",
        ) from error


def run_initdb(binaries: Binaries, *, data_dir: Path, account: Account, password: str) -> None:
    """Make the data directory: UTF8, locale C, scram passwords everywhere. An interrupted run leaves none.

    Raises:
        ServerSetupError: with initdb's last words.
    """
    draft = data_dir.with_name(data_dir.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    account.own(draft)
    secret = data_dir.with_name("initdb.secret")
    secret.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(password + "\n")
        account.own(secret)
        command: list[str | Path] = [binaries.bin_dir / "initdb", "--pgdata", draft, "--username", ADMIN]
        options = ["--encoding=UTF8", "--no-locale", "--auth-local=scram-sha-256", "--auth-host=scram-sha-256"]
        answer = account.run([*command, "--pwfile", secret, *options], timeout=300)
    finally:
        secret.unlink(missing_ok=True)
    if answer.returncode != 0:
        shutil.rmtree(draft, ignore_errors=True)
        raise start_failure("the data directory cannot be made", answer.stdout + answer.stderr, draft)
    with (draft / "postgresql.conf").open("a", encoding="utf-8") as stream:
        stream.write(f"\ninclude '../{_CONF}'\n")
    draft.rename(data_dir)


def run_server(binaries: Binaries, *, data_dir: Path, log_file: Path, account: Account, port: int) -> None:
    """Start a server, detached from this process, and wait until it takes connections (recovery included).

    Raises:
        ServerSetupError: with the last words of the server's log.
        WarehouseFullError: when the disk is full.
    """
    memory_dir = Path("/dev/shm")  # noqa: S108 -- the kernel's shared memory, only measured
    shared_memory = shutil.disk_usage(memory_dir).total if memory_dir.is_dir() else None
    conf = data_dir.parent / _CONF
    conf.write_text(
        plan_configuration(port=port, memory=usable_memory(), shared_memory=shared_memory), encoding="utf-8"
    )
    account.own(conf)
    drop_foreign_pid_file(data_dir)
    _open_log(log_file, account)
    deadline = time.monotonic() + 60
    while True:
        offset = log_file.stat().st_size
        command: list[str | Path] = [binaries.bin_dir / "pg_ctl", "start", "--pgdata", data_dir, "--log", log_file]
        answer = account.run([*command, "--wait", "--timeout=600", "--silent"], timeout=660)
        if answer.returncode == 0:
            return
        with log_file.open("r", encoding="utf-8", errors="replace") as stream:
            stream.seek(offset)
            words = stream.read()
        # After a kill -9 of the main process its children take a moment to notice.
        if _SURVIVORS not in words or time.monotonic() > deadline:
            raise start_failure("the server does not start", words or answer.stdout + answer.stderr, log_file)
        time.sleep(0.5)


def start_failure(what: str, words: str, path: Path) -> ServerSetupError | WarehouseFullError:
    """Return the error for a program of PostgreSQL that failed, from its last words."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "PANIC" in line or "error:" in line] or lines[-3:]
    seen = f"{what}: {' / '.join(telling[-2:]) or 'no message'}"
    if "No space left on device" in words:
        return WarehouseFullError(seen, action=f"free space on the disk of {path.parent}")
    return ServerSetupError(seen, action=f"see {path}" if path.is_file() else "")


def _open_log(log_file: Path, account: Account) -> None:
    if log_file.exists() and log_file.stat().st_size > _LOG_LIMIT:
        log_file.replace(log_file.with_suffix(".log.1"))
    log_file.touch(mode=0o600)
    account.own(log_file)
