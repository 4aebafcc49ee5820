"""Errors of the warehouse."""

from include.errors import RefusedError, TerminalError, TransientError


class WarehouseDownError(TransientError):
    """The server cannot be reached, or the connection was lost."""


class WarehouseFullError(TerminalError):
    """The server ran out of disk space."""


class ServerSetupError(TerminalError):
    """The embedded server cannot be set up or started here."""


class SnapshotHeldError(RefusedError):
    """The publication did not get its locks in time: the snapshot is complete, but held.

    Attributes:
        pids: process ids of the sessions in the way.
    """

    pids: tuple[int, ...] = ()
