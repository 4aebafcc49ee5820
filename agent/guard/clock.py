"""The client's own clock: cancels a statement, and cuts the connection when the server does not react."""

import contextlib
import os
import socket
import threading
from types import TracebackType
from typing import Self

import psycopg

_CANCEL_AFTER = 0.2
"""Seconds past the limit: the server's own time-out comes first."""
_CUT_AFTER = 0.5
"""Seconds between cancelling and cutting; some computations do not look for a cancel request."""


class Clock:
    """Limits the time of everything done on a connection inside its `with`.

    Attributes:
        expired: whether it stopped something; the connection is then closed, since a cancel request still on its way
            would hit the next user's statement.
    """

    def __init__(self, conn: psycopg.Connection, *, seconds: float) -> None:
        self._conn = conn
        self._seconds = seconds
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="guard clock", daemon=True)
        self.expired = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        if self.expired:
            self._thread.join()
            self._conn.close()

    def _watch(self) -> None:
        if self._done.wait(self._seconds + _CANCEL_AFTER):
            return
        self.expired = True
        # When the request fails, the connection is cut next.
        with contextlib.suppress(psycopg.Error):
            self._conn.cancel_safe(timeout=_CUT_AFTER)
        if not self._done.wait(_CUT_AFTER):
            self._cut()

    def _cut(self) -> None:
        try:
            with socket.socket(fileno=os.dup(self._conn.fileno())) as twin:
                twin.shutdown(socket.SHUT_RDWR)
        except (OSError, psycopg.Error):
            return  # it is gone already
