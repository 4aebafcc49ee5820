"""Connections that are few, reused, and replaced after a restart of the server."""

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from agent.guard.errors import GuardBusyError
from include.warehouse import connect

_PATIENCE = 3.0
"""Seconds to wait for a connection before asking whether the server is there at all."""


class Connections:
    """Connections of one role in autocommit mode, for several threads, at most `size` at a time.

    Args:
        url: where to connect.
        size: connections at most.
        name: what the server shows as the application.
        options: settings of each session, as libpq's `options`.
    """

    def __init__(self, url: str, *, size: int, name: str, options: str = "") -> None:
        self._url = url
        self._size = size
        self._name = name
        # The pool's own check of connections waits longer after each that is dead, and after a restart all are.
        self._pool = psycopg_pool.ConnectionPool(
            url,
            kwargs={"autocommit": True, "application_name": name, "connect_timeout": 5, "options": options},
            min_size=0,
            max_size=size,
            # A short one: after it, each request tries to connect again by itself.
            reconnect_timeout=1.0,
            open=True,
        )

    @contextmanager
    def connection(self, *, patience: float) -> Iterator[psycopg.Connection]:
        """Lend a connection.

        Args:
            patience: seconds to wait while all are in use.

        Raises:
            GuardBusyError: when all stay in use.
            WarehouseDownError: when the server cannot be reached.
        """
        conn = self._borrow(time.monotonic() + patience)
        try:
            yield conn
        finally:
            self._pool.putconn(conn)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _borrow(self, deadline: float) -> psycopg.Connection:
        while True:
            try:
                conn = self._pool.getconn(timeout=_PATIENCE)
            except psycopg_pool.PoolTimeout as error:
                with connect(self._url, autocommit=True):
                    pass  # raises when the server is down; else the connections are just in use
                if time.monotonic() > deadline:
                    raise GuardBusyError(
                        f"all {self._size} connections of {self._name} stayed in use",
                        action="ask again later, or stop what is running",
                    ) from error
                continue
            if _is_alive(conn):
                return conn
            conn.close()
            self._pool.putconn(conn)


def _is_alive(conn: psycopg.Connection) -> bool:
    """Whether an idle connection is quiet: the server's farewell makes it readable. Costs no round trip."""
    if conn.closed:
        return False
    news = select.poll()
    news.register(conn.fileno(), select.POLLIN | select.POLLHUP)
    return not news.poll(0)
