"""One statement on one connection: Parse step, plan, single-row stream, in a read-only transaction."""

import datetime
import decimal
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import pq

from agent.guard.errors import QueryFailed
from agent.guard.plan import Plan, read_plan
from agent.guard.results import Limits
from include.warehouse import load_sql

_LOCK_MS = 2_000
_IDLE_GRACE_MS = 10_000
_CHUNK = 100 if psycopg.capabilities.has_stream_chunked() else 1
"""Rows that the driver hands over at once."""
_SMALL = (bool, int, float, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta, type(None))
_SMALL_BYTES = 16


@dataclass(frozen=True)
class Fetched:
    """Rows of a statement as they came."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    truncated: bool


class Session:
    """A read-only transaction pinned to one schema. Statements fail with psycopg's errors or `QueryFailed`."""

    def __init__(self, conn: psycopg.Connection) -> None:
        self._conn = conn

    def prepare(self, sql: str) -> None:
        """Let the server parse and analyse a text as written; it is neither planned nor run.

        Raises:
            QueryFailed: with PostgreSQL's own error.
        """
        pgconn = self._conn.pgconn
        result = pgconn.prepare(b"", sql.encode())
        if result.status == pq.ExecStatus.FATAL_ERROR:
            if pgconn.status == pq.ConnStatus.BAD:
                raise psycopg.OperationalError(result.get_error_message())
            raise failure_of(result)

    def plan(self, sql: str) -> Plan:
        """Let the server plan a text."""
        cursor = self._conn.cursor()
        # Binary asks for the extended protocol, which refuses a second statement.
        row = cursor.execute(f"EXPLAIN (FORMAT JSON, VERBOSE) {sql}".encode(), binary=True).fetchone()
        if row is None:
            raise QueryFailed("EXPLAIN returned nothing", sqlstate="XX000")
        explained = row[0] if isinstance(row[0], list) else json.loads(row[0])
        return read_plan(explained)

    def stream(self, sql: str, limits: Limits) -> Fetched:
        """Run a text and read its rows one by one, up to the caps."""
        cursor = self._conn.cursor()
        rows: list[tuple[Any, ...]] = []
        size = 0
        truncated = False
        stream = cursor.stream(sql.encode(), size=_CHUNK)
        try:
            for row in stream:
                size += _size(row)
                if len(rows) >= limits.max_rows or size > limits.max_bytes:
                    truncated = True
                    break
                rows.append(row)
        finally:
            stream.close()  # type: ignore[attr-defined]  # a generator: closing it cancels what is left
        described = cursor.pgresult or self._conn.pgconn.describe_prepared(b"")
        columns, types = self._describe(described)
        return Fetched(columns, types, tuple(rows), truncated)

    def _describe(self, result: pq.abc.PGresult) -> tuple[tuple[str, ...], tuple[str, ...]]:
        width = range(result.nfields)
        names = tuple((result.fname(i) or b"").decode() for i in width)
        oids = [result.ftype(i) for i in width]
        known = {oid: name for oid in oids if (name := _type_name(self._conn, oid))}
        return names, tuple(known.get(oid) or self._look_up(oid) for oid in oids)

    def _look_up(self, oid: int) -> str:
        if self._conn.info.transaction_status != pq.TransactionStatus.INTRANS:
            return f"oid:{oid}"  # the rows were cut off, which ends the transaction's use
        row = self._conn.execute("SELECT typname FROM pg_catalog.pg_type WHERE oid = %s", (oid,)).fetchone()
        return str(row[0]) if row else f"oid:{oid}"


@contextmanager
def open_session(conn: psycopg.Connection, *, schema: str, timeout_s: float) -> Iterator[Session]:
    """Open the transaction; it is rolled back whatever happens.

    Args:
        conn: a connection in autocommit mode.
        schema: the only schema searched, beside the server's own; an identifier.
        timeout_s: seconds each statement may take at the server.
    """
    timeout_ms = _server_timeout_ms(timeout_s)
    begin = load_sql("guard/begin.sql").format(
        timeout_ms=timeout_ms, lock_ms=_LOCK_MS, idle_ms=timeout_ms + _IDLE_GRACE_MS, schema=schema
    )
    conn.execute(begin.encode())
    try:
        yield Session(conn)
    finally:
        try:
            conn.rollback()
        except psycopg.Error:
            conn.close()  # the pool makes a new one


def _server_timeout_ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def failure_of(result: pq.abc.PGresult) -> QueryFailed:
    """Return the error of a failed result."""
    field = pq.DiagnosticField

    def text(name: pq.DiagnosticField) -> str:
        return (result.error_field(name) or b"").decode("utf-8", "replace")

    position = text(field.STATEMENT_POSITION)
    return QueryFailed(
        text(field.MESSAGE_PRIMARY),
        sqlstate=text(field.SQLSTATE) or None,
        hint=text(field.MESSAGE_HINT),
        position=int(position) if position else None,
    )


def _type_name(conn: psycopg.Connection, oid: int) -> str | None:
    info = conn.adapters.types.get(oid)
    if info is None:
        return None
    return info.name if info.oid == oid else f"_{info.name}"


def _size(row: tuple[Any, ...]) -> int:
    return sum(_SMALL_BYTES if isinstance(value, _SMALL) else _length(value) for value in row)


def _length(value: object) -> int:
    if isinstance(value, str | bytes | memoryview):
        return len(value)
    return len(str(value))
