"""The embedded PostgreSQL server: start, status, stop.

It listens on the loopback interface only, with scram passwords kept in a file of mode 0600, runs detached from Python,
and survives the process that started it. Its files lie in `server/` under the platform's home; as root, on a home that
no other account can enter, data and log lie under /var/lib instead, which the server's notes say.
"""

import shutil
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from include.warehouse import cluster, process
from include.warehouse.account import Account, choose_account
from include.warehouse.binaries import Binaries
from include.warehouse.bootstrap import ANALYST, OWNER, READER, Passwords
from include.warehouse.connection import connect
from include.warehouse.errors import ServerSetupError
from include.warehouse.state import ADMIN, ServerState, new_state, read_state, write_state

HOST = process.HOST
_LOG = "postgres.log"
_PORT_ATTEMPTS = 3
_STARTUP = 600
"""Seconds a recovery after a crash may take."""


@dataclass(frozen=True)
class ServerInfo:
    """A running server.

    Attributes:
        admin_url: the superuser's URL.
        started: whether this call started it.
        notes: what is unusual: data kept elsewhere, another port than before.
    """

    admin_url: str = field(repr=False)
    host: str
    port: int
    version: str
    pid: int
    data_dir: Path
    log_file: Path
    started: bool = False
    notes: tuple[str, ...] = ()


class EmbeddedServer:
    """One embedded server. All methods may be called from several processes at once.

    Args:
        home: the platform's home directory; the server keeps to `home/server`.
        port: a fixed port. 0 = a free one, kept between starts; when a stranger has taken it meanwhile, a new one.
        binaries: the installation to use instead of the first found.
    """

    def __init__(self, home: Path, *, port: int = 0, binaries: Binaries | None = None) -> None:
        self.base = home.expanduser().absolute() / "server"
        self._fixed_port = port
        self._binaries = binaries
        self._state_file = self.base / "state.json"

    def start(self) -> ServerInfo:
        """Start the server, or find the one that runs; make its data directory first when there is none.

        Raises:
            ServerSetupError: no binaries, port in use, data of another major version, unwritable path.
            WarehouseFullError: when the disk is full.
        """
        try:
            cluster.make_directories(self.base)
            with process.file_lock(self.base / "lock"):
                return self._start()
        except OSError as error:
            raise ServerSetupError(
                f"{error.filename or self.base} cannot be used: {error.strerror or error}",
                expected=f"a writable directory {self.base} with free space",
                action="make it writable, free space, or set CRIME_HOME to another directory",
            ) from error

    def status(self) -> ServerInfo | None:
        """Return the running server, none when it does not run or is not ready yet."""
        state = read_state(self._state_file)
        if state is None:
            return None
        data_dir = self._place(state) / "data"
        postmaster = process.read_postmaster(data_dir)
        return self._info(state, postmaster) if postmaster is not None and postmaster.ready else None

    def stop(self) -> bool:
        """Stop the server; says whether one was running."""
        state = read_state(self._state_file)
        if state is None:
            return False
        data_dir = self._place(state) / "data"
        with process.file_lock(self.base / "lock"):
            postmaster = process.read_postmaster(data_dir)
            if postmaster is None:
                return False
            process.stop_process(postmaster.pid, data_dir)
        return True

    def destroy(self) -> None:
        """Stop the server and delete its data, log and passwords."""
        self.stop()
        state = read_state(self._state_file)
        if state is not None and self._place(state) != self.base:
            shutil.rmtree(self._place(state))
        if self.base.exists():
            shutil.rmtree(self.base)

    def password(self, role: str) -> str:
        """Return the password kept for a role, a new one at the first call.

        Raises:
            ServerSetupError: when the server was never started.
        """
        state = self._known_state()
        if role not in state.passwords:
            with process.file_lock(self.base / "lock"):
                state = self._known_state().with_password(role)
                write_state(self._state_file, state)
        return state.passwords[role]

    def passwords(self) -> Passwords:
        """Return the passwords of the warehouse's three roles."""
        return Passwords(owner=self.password(OWNER), reader=self.password(READER), analyst=self.password(ANALYST))

    def _start(self) -> ServerInfo:
        state = read_state(self._state_file)
        if state is not None and (running := _settled(self._place(state) / "data")):
            return self._info(state, running)
        state, account = self._prepare(state)
        place = self._place(state)
        data_dir, before = place / "data", state.port
        binaries = self._choose_binaries(data_dir, account=account, place=place)
        state = self._with_port(state)
        if not data_dir.exists():
            cluster.run_initdb(binaries, data_dir=data_dir, account=account, password=state.passwords[ADMIN])
        state = self._run(replace(state, version=binaries.version), binaries=binaries, account=account)
        postmaster = process.read_postmaster(data_dir)
        if postmaster is None:
            raise ServerSetupError("the server went away right after its start", action=f"see {place / _LOG}")
        info = replace(self._info(state, postmaster), started=True)
        if before not in (0, state.port):
            moved = f"port {before} is not to be had: the server now listens on {state.port}"
            info = replace(info, notes=(*info.notes, moved))
        with connect(info.admin_url):
            return info

    def _run(self, state: ServerState, *, binaries: Binaries, account: Account) -> ServerState:
        place = self._place(state)
        for attempt in range(1, _PORT_ATTEMPTS + 1):
            # Kept before the start: an interrupted one may leave a server that runs.
            write_state(self._state_file, state)
            try:
                cluster.run_server(
                    binaries,
                    data_dir=place / "data",
                    log_file=place / _LOG,
                    account=account,
                    port=state.port,
                )
                break
            except ServerSetupError:
                # Somebody may have taken the port since it was found free.
                if process.is_free(state.port) or attempt == _PORT_ATTEMPTS:
                    raise
                state = self._with_port(state)
        return state

    def _prepare(self, state: ServerState | None) -> tuple[ServerState, Account]:
        data_dir = (self._place(state) if state else self.base) / "data"
        account = choose_account(data_dir)
        if state is None:
            if data_dir.exists():
                raise ServerSetupError(
                    f"{data_dir} exists, but {self._state_file} with its passwords is missing",
                    action=f"restore the file, or move {self.base} away and start anew",
                )
            state = new_state().with_password(ADMIN)
            place = cluster.choose_place(self.base, server_id=state.server_id, account=account)
            state = replace(state, place=None if place == self.base else str(place))
            write_state(self._state_file, state)
        elif not account.can_enter(self._place(state)):
            raise ServerSetupError(
                f"the account {account.name} cannot enter {self._place(state)}, where the data lie",
                action="give the directories above back the mode they had, or run as an ordinary user",
            )
        return state, account

    def _choose_binaries(self, data_dir: Path, *, account: Account, place: Path) -> Binaries:
        major = cluster.read_major(data_dir)
        binaries = self._binaries
        if binaries is None or major not in (None, binaries.major):
            binaries = cluster.matching_binaries(data_dir, major=major)
        return cluster.reachable_binaries(binaries, place=place, account=account)

    def _with_port(self, state: ServerState) -> ServerState:
        if self._fixed_port:
            if not process.is_free(self._fixed_port):
                raise ServerSetupError(
                    f"port {self._fixed_port} is in use by another program",
                    expected="a free port, as CRIME_EMBEDDED_PORT names it",
                    action="set CRIME_EMBEDDED_PORT to another port, or to 0 for any free one",
                )
            return replace(state, port=self._fixed_port)
        kept = state.port and process.is_free(state.port)
        return state if kept else replace(state, port=process.find_free_port())

    def _place(self, state: ServerState) -> Path:
        return Path(state.place) if state.place else self.base

    def _known_state(self) -> ServerState:
        state = read_state(self._state_file)
        if state is None:
            raise ServerSetupError(f"no server was ever started in {self.base}", action="run `crime up`")
        return state

    def _info(self, state: ServerState, postmaster: process.Postmaster) -> ServerInfo:
        place = self._place(state)
        password = quote(state.passwords[ADMIN], safe="")
        notes = []
        if place != self.base:
            notes.append(f"data and log lie in {place}: the server's account cannot enter {self.base}")
        if self._fixed_port not in (0, postmaster.port):
            notes.append(f"it listens on {postmaster.port} until its next start, and then on {self._fixed_port}")
        return ServerInfo(
            admin_url=f"postgresql://{ADMIN}:{password}@{HOST}:{postmaster.port}/postgres",
            host=HOST,
            port=postmaster.port,
            version=state.version,
            pid=postmaster.pid,
            data_dir=place / "data",
            log_file=place / _LOG,
            notes=tuple(notes),
        )


def _settled(data_dir: Path) -> process.Postmaster | None:
    deadline = time.monotonic() + _STARTUP
    while (postmaster := process.read_postmaster(data_dir)) is not None:
        if postmaster.ready and process.answers(postmaster.port):
            break
        if time.monotonic() > deadline:
            raise ServerSetupError(
                f"the server process {postmaster.pid} is neither ready nor gone after {_STARTUP} s",
                action=f"look at {data_dir.parent / _LOG}, or stop it with `crime down`",
            )
        time.sleep(0.1)
    return postmaster
