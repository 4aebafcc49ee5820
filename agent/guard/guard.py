"""The one road from a text to the database: check, execute, audit."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self, TypeVar

from agent.guard.audit import Audit, AuditRow
from agent.guard.check import DEFAULT_TABLES, CheckedQuery, check_sql
from agent.guard.clock import Clock
from agent.guard.errors import GuardRefusal, QueryFailed
from agent.guard.failures import translated
from agent.guard.plan import check_plan
from agent.guard.pool import Connections
from agent.guard.results import Caller, Explanation, Limits, QueryResult
from agent.guard.role import READABLE_SCHEMAS, verify_role
from agent.guard.session import Fetched, Session, open_session
from include.errors import PlatformError, UsageError
from include.settings import Settings
from include.warehouse import Warehouse, WarehouseDownError

_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SPARE_CONNECTIONS = 4
_PATIENCE = 5.0
"""Seconds to wait for a connection beyond the time limit of a statement."""
_WRONG_FOR_POSTGRES = frozenset({"42601", "42883", "42704", "42703"})
"""SQLSTATEs (syntax error, undefined function, type or column) that say more than a refusal of the same text."""
_ASK_POSTGRES = frozenset({"parse", "node", "clause", "function", "type"})
"""Rules that a text of another dialect meets; whether PostgreSQL knows the syntax at all decides what is reported."""

_Done = TypeVar("_Done")


@dataclass
class _Statement:
    """A statement on its way."""

    sql: str
    schema: str
    limits: Limits
    started: float
    sql_run: str | None = None
    lent: bool = False
    """Whether it had a connection."""
    sent: bool = False
    """Whether the server has seen it: until then a lost connection is replaced without a word."""

    @property
    def ms(self) -> float:
        return (time.perf_counter() - self.started) * 1000


class Guard:
    """Runs texts of models and people on one warehouse, for several threads.

    Args:
        warehouse: where to connect.
        settings: sizes the pool.
        audit: whether statements leave a row in `ops.query_audit`.
        tables: names of the tables that may be read.
        schemas: regular expression of the schemas the role may read.

    Raises:
        RoleRefusedError: when the reader's role could do harm.
        WarehouseDownError: when the server cannot be reached.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        *,
        settings: Settings,
        audit: bool = True,
        tables: frozenset[str] = DEFAULT_TABLES,
        schemas: str = READABLE_SCHEMAS,
    ) -> None:
        with warehouse.reader(autocommit=True) as conn:
            verify_role(conn, schemas=schemas).require()
        self._url = warehouse.reader_url
        self._tables = tables
        size = settings.bench_parallel + _SPARE_CONNECTIONS
        self._connections = Connections(warehouse.reader_url, size=size, name="crime guard")
        self._audit = Audit(warehouse) if audit else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()
        if self._audit:
            self._audit.close()

    def execute(self, sql: str, *, schema: str, caller: Caller, limits: Limits) -> QueryResult:
        """Run a text on one snapshot.

        Args:
            sql: the text as written.
            schema: the snapshot's schema.
            caller: who asks, for the audit.
            limits: caps of rows, bytes, time and cost.

        Raises:
            GuardRefusal: when the text is not allowed.
            QueryFailed: when PostgreSQL refuses or fails it (`QueryTimeout` when it takes too long).
            WarehouseDownError: when the server cannot be reached or goes away.
            GuardBusyError: when all connections stay in use.
            AuditError: when the audit row cannot be written.
            UsageError: when the schema is no plain name.
        """
        statement = _statement(sql, schema, limits)

        def work(session: Session, checked: CheckedQuery) -> Fetched:
            self._plan(session, checked, statement)
            return session.stream(statement.sql_run or "", limits)

        fetched = self._run(statement, caller, work)
        result = QueryResult(
            columns=fetched.columns,
            types=fetched.types,
            rows=fetched.rows,
            row_count=len(fetched.rows),
            truncated=fetched.truncated,
            ms=statement.ms,
            sql_run=statement.sql_run or "",
            snapshot_id=schema,
        )
        row = AuditRow(
            schema, sql, "executed", result.sql_run,
            row_count=result.row_count, truncated=result.truncated, ms=result.ms,
        )  # fmt: skip
        self._write(row, caller)
        return result

    def explain(self, sql: str, *, schema: str, caller: Caller, limits: Limits) -> Explanation:
        """Check a text and let the server plan it without running it; arguments and errors as for `execute`."""
        statement = _statement(sql, schema, limits)

        def work(session: Session, checked: CheckedQuery) -> Explanation:
            cost = self._plan(session, checked, statement)
            return Explanation(statement.sql_run or "", cost, checked.relations)

        explanation = self._run(statement, caller, work)
        self._write(AuditRow(schema, sql, "explained", statement.sql_run, ms=statement.ms), caller)
        return explanation

    def _run(self, statement: _Statement, caller: Caller, work: Callable[[Session, CheckedQuery], _Done]) -> _Done:
        with self._audited(statement, caller):
            try:
                with self._session(statement) as (session, checked):
                    return work(session, checked)
            except WarehouseDownError:
                if statement.sent or not statement.lent:
                    raise
            with self._session(statement) as (session, checked):
                return work(session, checked)

    @contextmanager
    def _session(self, statement: _Statement) -> Iterator[tuple[Session, CheckedQuery]]:
        checked: CheckedQuery | None = None
        refusal: GuardRefusal | None = None
        try:
            checked = check_sql(statement.sql, tables=self._tables)
        except GuardRefusal as error:
            if error.rule not in _ASK_POSTGRES:
                raise
            refusal = error
        seconds = statement.limits.timeout_s
        with self._connections.connection(patience=seconds + _PATIENCE) as conn:
            statement.lent = True
            with (
                Clock(conn, seconds=seconds) as clock,
                translated(conn, clock, url=self._url, limit_s=seconds),
                open_session(conn, schema=statement.schema, timeout_s=seconds) as session,
            ):
                statement.sent = True
                if checked is None:
                    raise _wrong_or_refused(session, statement.sql, refusal)
                session.prepare(checked.sql)
                yield session, checked

    def _plan(self, session: Session, checked: CheckedQuery, statement: _Statement) -> float:
        statement.sql_run = checked.render(statement.schema)
        plan = session.plan(statement.sql_run)
        check_plan(plan, schema=statement.schema, tables=self._tables, max_cost=statement.limits.max_plan_cost)
        return plan.cost

    @contextmanager
    def _audited(self, statement: _Statement, caller: Caller) -> Iterator[None]:
        """Write the row of a statement that is refused or fails; the caller writes that of one that succeeds."""
        try:
            yield
        except GuardRefusal as error:
            self._write(_audit_row(statement, "refused", error, rule=error.rule), caller)
            raise
        except QueryFailed as error:
            self._write(_audit_row(statement, "failed", error, sqlstate=error.sqlstate), caller)
            raise

    def _write(self, row: AuditRow, caller: Caller) -> None:
        if self._audit:
            self._audit.write(row, caller)


def _statement(sql: str, schema: str, limits: Limits) -> _Statement:
    if not _SCHEMA.fullmatch(schema):
        raise UsageError(f"{schema!r} is no schema of a snapshot", expected="a lower-case name")
    return _Statement(sql, schema, limits, time.perf_counter())


def _wrong_or_refused(session: Session, sql: str, refusal: GuardRefusal | None) -> PlatformError:
    assert refusal is not None
    try:
        session.prepare(sql)
    except QueryFailed as failure:
        # Several statements at once are a syntax error to this protocol, but nothing to correct and try again.
        if failure.sqlstate in _WRONG_FOR_POSTGRES and "multiple commands" not in failure.message:
            return failure
    return refusal


def _audit_row(
    statement: _Statement,
    verdict: Literal["refused", "failed"],
    error: PlatformError,
    *,
    rule: str | None = None,
    sqlstate: str | None = None,
) -> AuditRow:
    return AuditRow(
        statement.schema, statement.sql, verdict, statement.sql_run,
        rule=rule, sqlstate=sqlstate, message=str(error), ms=statement.ms,
    )  # fmt: skip
