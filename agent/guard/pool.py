"""The guard's connections as the reader: few, reused, and replaced after a restart of the server."""

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from agent.guard.errors import GuardBusyError
from include.warehouse import Warehouse

_PATIENCE = 3.0
"""Seconds to wait for a connection before asking whether the server is there at all."""


def check_alive(conn: psycopg.Connection) -> None:
    """Raise when the server has closed an idle connection; costs no round trip while it is quiet."""
    quiet = select.poll()
    quiet.register(conn.fileno(), select.POLLIN | select.POLLHUP)
    if quiet.poll(0):
        psycopg_pool.ConnectionPool.check_connection(conn)


class ReaderPool:
    """Connections as `crime_reader`, at most `size` at a time."""

    def __init__(self, warehouse: Warehouse, *, size: int) -> None:
        self._warehouse = warehouse
        self._size = size
        self._pool = psycopg_pool.ConnectionPool(
            warehouse.reader_url,
            kwargs={"autocommit": True, "application_name": "crime guard", "connect_timeout": 5},
            min_size=0,
            max_size=size,
            # A short one: after it, each request tries to connect again by itself.
            reconnect_timeout=1.0,
            check=check_alive,
            open=True,
        )

    @contextmanager
    def connection(self, *, patience: float) -> Iterator[psycopg.Connection]:
        """Lend a connection in autocommit mode.

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
                return self._pool.getconn(timeout=_PATIENCE)
            except psycopg_pool.PoolTimeout as error:
                with self._warehouse.reader(autocommit=True):
                    pass  # raises when the server is down; else the pool is just busy
                if time.monotonic() > deadline:
                    raise GuardBusyError(
                        f"all {self._size} connections of the agent stayed in use",
                        action="ask again later, or stop what is running",
                    ) from error
