"""Tell PostgreSQL's errors apart: the statement's fault, the time limit, the server's condition."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from agent.guard.clock import Clock
from agent.guard.errors import QueryFailed, QueryTimeout
from include.errors import PlatformError
from include.warehouse import WarehouseDownError, translate_error

_CANCELLED = "57014"
_BUSY = frozenset({"53300", "55P03", "40001", "40P01"})
"""Too many connections, a lock not had in time, a conflict with maintenance: the statement is not at fault."""


@contextmanager
def translated(conn: psycopg.Connection, clock: Clock, *, url: str, limit_s: float) -> Iterator[None]:
    """Turn psycopg's errors inside the `with` into the platform's.

    Raises:
        QueryTimeout: when the time limit stopped the statement.
        QueryFailed: when PostgreSQL failed it, or the driver cannot read a value.
        WarehouseDownError: when the connection was lost, or the server is too busy.
        WarehouseFullError: when the server's disk is full.
    """
    try:
        yield
    except QueryFailed as failure:
        if clock.expired or failure.sqlstate == _CANCELLED:
            raise _timeout(limit_s) from failure
        raise
    except psycopg.Error as error:
        raise _platform_error(error, clock, url, limit_s, broken=conn.broken) from error


def _platform_error(error: psycopg.Error, clock: Clock, url: str, limit_s: float, *, broken: bool) -> PlatformError:
    if clock.expired or error.sqlstate == _CANCELLED:
        return _timeout(limit_s)
    if condition := translate_error(url, error, broken=broken):
        return condition
    diagnosis = error.diag
    message = diagnosis.message_primary or str(error).partition("\n")[0]
    if error.sqlstate in _BUSY:
        return WarehouseDownError(f"the warehouse is busy: {message}", action="run it again")
    return QueryFailed(message, sqlstate=error.sqlstate, hint=diagnosis.message_hint or "")


def _timeout(limit_s: float) -> QueryTimeout:
    return QueryTimeout(
        f"the statement was cancelled after the limit of {limit_s:g} s",
        sqlstate=_CANCELLED,
        action="filter earlier, aggregate, or ask for less",
    )
