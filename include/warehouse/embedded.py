"""The embedded PostgreSQL server: start, status, stop.

It listens on the loopback interface only, with scram passwords kept in a file of mode 0600, runs detached from Python,
and survives the process that started it. Its files lie in `server/` under the platform's home; as root, on a home that
no other account can enter, data and log lie under /var/lib instead, which the server's notes say.
"""

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from include.warehouse import cluster, process
from include.warehouse.binaries import Binaries
from include.warehouse.connection import connect
from include.warehouse.errors import ServerSetupError
from include.warehouse.files import ServerFiles
from include.warehouse.ports import HOST
from include.warehouse.roles import ANALYST, OWNER, READER, Passwords
from include.warehouse.startup import run_startup
from include.warehouse.state import ADMIN, ServerState, read_state, write_state


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

    def start(self) -> ServerInfo:
        """Start the server, or find the one that runs; make its data directory first when there is none.

        Raises:
            ServerSetupError: no binaries, port in use, data of another major version, unwritable path.
            WarehouseFullError: when the disk is full.
        """
        before = self._read_state()
        try:
            cluster.make_directories(self.base)
            with process.file_lock(self._files().lock_file):
                state, started = run_startup(self.base, port=self._fixed_port, binaries=self._binaries)
        except OSError as error:
            raise ServerSetupError(
                f"{error.filename or self.base} cannot be used: {error.strerror or error}",
                expected=f"a writable directory {self.base} with free space",
                action="make it writable, free space, or set CRIME_HOME to another directory",
            ) from error
        info = self.status()
        if info is None:
            raise ServerSetupError(
                "the server went away right after its start", action=f"see {self._files(state).log_file}"
            )
        notes = list(info.notes)
        if started and before is not None and before.port not in (0, info.port):
            notes.append(f"port {before.port} is not to be had: the server now listens on {info.port}")
        with connect(info.admin_url):
            return replace(info, started=started, notes=tuple(notes))

    def status(self) -> ServerInfo | None:
        """Return the running server, none when it does not run or is not ready yet."""
        state = self._read_state()
        postmaster = process.read_postmaster(self._files(state).data_dir)
        if state is None or postmaster is None or not postmaster.ready:
            return None
        return self._info(state, postmaster)

    def stop(self) -> bool:
        """Stop the server; says whether one was running."""
        state = self._read_state()
        if state is None:
            return False
        data_dir = self._files(state).data_dir
        with process.file_lock(self._files().lock_file):
            postmaster = process.read_postmaster(data_dir)
            if postmaster is None:
                return False
            process.stop_process(postmaster.pid, data_dir)
        return True

    def destroy(self) -> None:
        """Stop the server and delete its data, log and passwords."""
        self.stop()
        for directory in {self._files(self._read_state()).place, self.base}:
            if directory.exists():
                shutil.rmtree(directory)

    def password(self, role: str) -> str:
        """Return the password kept for a role, a new one at the first call.

        Raises:
            ServerSetupError: when the server was never started.
        """
        state = self._known_state()
        if role not in state.passwords:
            with process.file_lock(self._files().lock_file):
                state = self._known_state().with_password(role)
                write_state(self._files().state_file, state)
        return state.passwords[role]

    def passwords(self) -> Passwords:
        """Return the passwords of the warehouse's three roles."""
        return Passwords(owner=self.password(OWNER), reader=self.password(READER), analyst=self.password(ANALYST))

    def _files(self, state: ServerState | None = None) -> ServerFiles:
        return ServerFiles.of(self.base, state)

    def _read_state(self) -> ServerState | None:
        return read_state(self._files().state_file)

    def _known_state(self) -> ServerState:
        state = self._read_state()
        if state is None:
            raise ServerSetupError(f"no server was ever started in {self.base}", action="run `crime up`")
        return state

    def _info(self, state: ServerState, postmaster: process.Postmaster) -> ServerInfo:
        files = self._files(state)
        password = quote(state.passwords[ADMIN], safe="")
        notes = []
        if files.place != self.base:
            notes.append(f"data and log lie in {files.place}: the server's account cannot enter {self.base}")
        if self._fixed_port not in (0, postmaster.port):
            notes.append(f"it listens on {postmaster.port} until its next start, and then on {self._fixed_port}")
        return ServerInfo(
            admin_url=f"postgresql://{ADMIN}:{password}@{HOST}:{postmaster.port}/postgres",
            host=HOST,
            port=postmaster.port,
            version=state.version,
            pid=postmaster.pid,
            data_dir=files.data_dir,
            log_file=files.log_file,
            notes=tuple(notes),
        )
