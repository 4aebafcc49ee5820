"""One start of the embedded server, under its lock: account, place, programs, data directory, port, process."""

import time
from dataclasses import replace
from pathlib import Path

from include.warehouse import cluster, ports, process
from include.warehouse.account import Account, choose_account
from include.warehouse.binaries import Binaries
from include.warehouse.errors import ServerSetupError
from include.warehouse.files import ServerFiles
from include.warehouse.programs import choose_binaries
from include.warehouse.state import ADMIN, ServerState, new_state, read_state, write_state

_PORT_ATTEMPTS = 3
_PATIENCE = 600
"""Seconds a recovery after a crash may take."""


def run_startup(base: Path, *, port: int, binaries: Binaries | None) -> tuple[ServerState, bool]:
    """Start the server of `base`, unless it runs; returns its state and whether it was started.

    Args:
        base: its directory.
        port: a fixed port, or 0.
        binaries: the installation to prefer.

    Raises:
        ServerSetupError: see `EmbeddedServer.start`.
        WarehouseFullError: when the disk is full.
    """
    state = read_state(ServerFiles.of(base, None).state_file)
    if state is not None and _is_running(ServerFiles.of(base, state)):
        return state, False
    state, account = _prepare(base, state)
    files = ServerFiles.of(base, state)
    programs = choose_binaries(files.data_dir, account=account, preferred=binaries)
    state = _with_port(state, fixed=port)
    if not files.data_dir.exists():
        cluster.run_initdb(programs, data_dir=files.data_dir, account=account, password=state.passwords[ADMIN])
    state = replace(state, version=programs.version)
    return _run(files, state, programs=programs, account=account, fixed=port), True


def _is_running(files: ServerFiles) -> bool:
    deadline = time.monotonic() + _PATIENCE
    while (postmaster := process.read_postmaster(files.data_dir)) is not None:
        if postmaster.ready and ports.answers(postmaster.port):
            return True
        if time.monotonic() > deadline:
            raise ServerSetupError(
                f"the server process {postmaster.pid} is neither ready nor gone after {_PATIENCE} s",
                action=f"look at {files.log_file}, or stop it with `crime down`",
            )
        time.sleep(0.1)
    return False


def _prepare(base: Path, state: ServerState | None) -> tuple[ServerState, Account]:
    files = ServerFiles.of(base, state)
    account = choose_account(files.data_dir)
    if state is not None:
        if not account.can_enter(files.place):
            raise ServerSetupError(
                f"the account {account.name} cannot enter {files.place}, where the data lie",
                action="give the directories above back the mode they had, or run as an ordinary user",
            )
        return state, account
    if files.data_dir.exists():
        raise ServerSetupError(
            f"{files.data_dir} exists, but {files.state_file} with its passwords is missing",
            action=f"restore the file, or move {base} away and start anew",
        )
    state = new_state().with_password(ADMIN)
    place = cluster.choose_place(base, server_id=state.server_id, account=account)
    state = replace(state, place=None if place == base else str(place))
    write_state(files.state_file, state)
    return state, account


def _run(files: ServerFiles, state: ServerState, *, programs: Binaries, account: Account, fixed: int) -> ServerState:
    for attempt in range(1, _PORT_ATTEMPTS + 1):
        # Kept before the start: an interrupted one may leave a server that runs.
        write_state(files.state_file, state)
        try:
            cluster.run_server(
                programs, data_dir=files.data_dir, log_file=files.log_file, account=account, port=state.port
            )
            break
        except ServerSetupError:
            # Somebody may have taken the port since it was found free.
            if ports.is_free(state.port) or attempt == _PORT_ATTEMPTS:
                raise
            state = _with_port(state, fixed=fixed)
    return state


def _with_port(state: ServerState, *, fixed: int) -> ServerState:
    if fixed and not ports.is_free(fixed):
        raise ServerSetupError(
            f"port {fixed} is in use by another program",
            expected="a free port, as CRIME_EMBEDDED_PORT names it",
            action="set CRIME_EMBEDDED_PORT to another port, or to 0 for any free one",
        )
    if fixed:
        return replace(state, port=fixed)
    kept = state.port and ports.is_free(state.port)
    return state if kept else replace(state, port=ports.find_free_port())
