"""The account the embedded server runs under: PostgreSQL refuses to run as root."""

import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from include.warehouse.errors import ServerSetupError

_ORDINARY = ("postgres", "nobody", "daemon")


@dataclass(frozen=True)
class Account:
    """A user of this machine. `switch` says that it is not ours: programs run as it, files are handed over to it."""

    uid: int
    gid: int
    name: str
    switch: bool

    def run(
        self, command: Sequence[str | Path], *, timeout: float, environ: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this user from the root directory, with its output captured.

        Raises:
            ServerSetupError: when it takes longer than `timeout` seconds.
        """
        try:
            return self._run(command, timeout=timeout, environ=environ)
        except subprocess.TimeoutExpired as error:
            raise ServerSetupError(
                f"{command[0]} did not end within {timeout:.0f} s",
                action="look at the load of this machine and its disk",
            ) from error

    def _run(
        self, command: Sequence[str | Path], *, timeout: float, environ: Mapping[str, str] | None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command],
            cwd="/",
            env=dict(environ if environ is not None else clean_environ()),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            umask=0o077,
            user=self.uid if self.switch else None,
            group=self.gid if self.switch else None,
            extra_groups=[] if self.switch else None,
        )

    def can_enter(self, directory: Path) -> bool:
        """Say whether this user can reach into a directory."""
        return not self.switch or self.run(["test", "-x", directory], timeout=30).returncode == 0

    def own(self, path: Path) -> None:
        """Hand a file or directory of ours over to this user."""
        if self.switch:
            os.chown(path, self.uid, self.gid)


def choose_account(data_dir: Path) -> Account:
    """Return the account for a data directory: ours; for root the directory's owner, else any ordinary one.

    A directory that does not exist yet will belong to the owner of the one it is made in.

    Raises:
        ServerSetupError: when the data directory belongs to somebody we cannot act as, or root finds no other account.
    """
    us = os.geteuid()
    owner = _owner(data_dir)
    if us == 0 and owner is None:
        owner = _owner(data_dir.parent)
    if us != 0:
        if owner not in (None, us):
            raise ServerSetupError(
                f"the data directory {data_dir} belongs to the user {_name(owner)}, we are {_name(us)}",
                action=f"run as {_name(owner)} or as root, or set CRIME_HOME to a directory of your own",
            )
        return Account(uid=us, gid=os.getegid(), name=_name(us), switch=False)
    try:
        if owner:
            return _account(pwd.getpwuid(owner))
    except KeyError:
        # A number without a name, as on a directory mounted into a container: initdb needs a name.
        if data_dir.exists():
            raise ServerSetupError(
                f"the data directory {data_dir} belongs to the user number {owner}, which has no name here",
                action="run where that user exists, or set CRIME_HOME to another directory",
            ) from None
    for name in _ORDINARY:
        with suppress(KeyError):
            return _account(pwd.getpwnam(name))
    raise ServerSetupError(
        f"running as root, and none of the accounts {', '.join(_ORDINARY)} exists",
        expected="an account without privileges: PostgreSQL refuses to run as root",
        action="run as an ordinary user",
    )


def give_to_owner_of_parent(path: Path) -> None:
    """Hand over what root has just made to the owner of its directory, who can then go on without root."""
    parent = path.parent.stat()
    if os.geteuid() == 0 and parent.st_uid != 0:
        os.chown(path, parent.st_uid, parent.st_gid)


def clean_environ() -> dict[str, str]:
    """Return our environment without what would steer PostgreSQL, and with the C locale."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PG", "LC_", "LANG"))}
    return kept | {"LC_ALL": "C"}


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(uid=entry.pw_uid, gid=entry.pw_gid, name=entry.pw_name, switch=True)


def _owner(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except FileNotFoundError:
        return None
    except PermissionError:
        return -1


def _name(uid: int | None) -> str:
    try:
        return pwd.getpwuid(uid).pw_name if uid is not None and uid >= 0 else "(unknown)"
    except KeyError:
        return str(uid)
