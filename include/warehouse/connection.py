"""Connections to the warehouse, one URL per role."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import psycopg
from psycopg.conninfo import conninfo_to_dict

from include.errors import TerminalError, UsageError
from include.settings import Settings, get_settings
from include.warehouse.errors import WarehouseDownError, WarehouseFullError

CONNECT_TIMEOUT = 10
"""Seconds."""
_GONE = frozenset({"57P01", "57P02", "57P03", "57P05"})
_CONNECT_REFUSALS = {
    "password authentication failed": "check the password in the warehouse's URL",
    "no pg_hba.conf entry": "let this host connect, in the server's pg_hba.conf",
    "does not exist": "run `crime up`, which creates the database and its roles",
    "not permitted to log in": "run `crime up`, which creates the database and its roles",
}


@dataclass(frozen=True)
class Warehouse:
    """The three ways into the warehouse, as `postgresql://` URLs.

    Attributes:
        owner_url: the role `crime_owner`, used by the pipeline.
        reader_url: the role `crime_reader`, used by the agent.
        analyst_url: the role `crime_analyst`, for people; may be empty.
    """

    owner_url: str = field(repr=False)
    reader_url: str = field(repr=False)
    analyst_url: str = field(default="", repr=False)

    @classmethod
    def from_settings(cls, settings: Settings | None = None) -> "Warehouse":
        """Return the warehouse the settings name: the given URLs, else the running embedded server.

        Raises:
            TerminalError: when no URL is given and the embedded server is not running.
            UsageError: when only some of the URLs are given.
        """
        settings = settings or get_settings()
        if settings.owner_url is None:
            if settings.reader_url or settings.analyst_url:
                raise UsageError(
                    "CRIME_READER_URL or CRIME_ANALYST_URL is set but CRIME_OWNER_URL is not",
                    expected="a URL per role, or none for the embedded server",
                    action="set CRIME_OWNER_URL to the role crime_owner, or unset the others",
                )
            return _embedded_warehouse(settings)
        if settings.reader_url is None:
            raise UsageError(
                "CRIME_OWNER_URL is set but CRIME_READER_URL is not",
                expected="a URL per role: the agent never connects as the owner",
                action="set CRIME_READER_URL to the role crime_reader",
            )
        return cls(settings.owner_url, settings.reader_url, settings.analyst_url or "")

    @contextmanager
    def owner(self, *, autocommit: bool = False) -> Iterator[psycopg.Connection]:
        """Connect as `crime_owner`: commits on success, rolls back on an error, closes.

        Raises:
            WarehouseDownError: when the server cannot be reached or goes away.
            WarehouseFullError: when the server's disk is full.
            TerminalError: when the server refuses the login.
        """
        with connect(self.owner_url, autocommit=autocommit) as conn:
            yield conn

    @contextmanager
    def reader(self, *, autocommit: bool = False) -> Iterator[psycopg.Connection]:
        """Connect as `crime_reader`; errors as for `owner`."""
        with connect(self.reader_url, autocommit=autocommit) as conn:
            yield conn

    @contextmanager
    def analyst(self, *, autocommit: bool = False) -> Iterator[psycopg.Connection]:
        """Connect as `crime_analyst`; errors as for `owner`.

        Raises:
            UsageError: when the warehouse was given without a URL of that role.
        """
        if not self.analyst_url:
            raise UsageError("no URL of the role crime_analyst is known", action="set CRIME_ANALYST_URL")
        with connect(self.analyst_url, autocommit=autocommit) as conn:
            yield conn


@contextmanager
def connect(url: str, *, autocommit: bool = False) -> Iterator[psycopg.Connection]:
    """Connect to a URL as `Warehouse.owner` does."""
    try:
        conn = psycopg.connect(
            url,
            autocommit=autocommit,
            connect_timeout=CONNECT_TIMEOUT,
            fallback_application_name="crime",
            # A build keeps a connection silent for minutes, which routers between us and a remote server cut.
            keepalives_idle=60,
        )
    except psycopg.OperationalError as error:
        _raise_refused(url, error)
    try:
        with conn:
            yield conn
    except psycopg.Error as error:
        if translated := translate_error(url, error, broken=conn.broken):
            raise translated from error
        raise


def translate_error(url: str, error: psycopg.Error, *, broken: bool) -> WarehouseDownError | WarehouseFullError | None:
    """Return the platform's error for a lost connection or a full disk; none for any other database error."""
    state = error.sqlstate or ""
    if state == "53100":
        return WarehouseFullError(
            f"the disk of the warehouse at {address(url)} is full: {_first_line(error)}",
            action="free space (`crime snapshots list` shows what is kept), then run the command again",
        )
    if broken or state in _GONE or state.startswith("08"):
        return WarehouseDownError(
            f"the connection to the warehouse at {address(url)} was lost: {_first_line(error)}",
            action="start it with `crime up`, then run the command again",
        )
    return None


def address(url: str) -> str:
    """Return host, port and database of a URL, without its secrets."""
    parts = conninfo_to_dict(url)
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"


def _raise_refused(url: str, error: psycopg.OperationalError) -> NoReturn:
    text = str(error)
    for symptom, action in _CONNECT_REFUSALS.items():
        if symptom in text:
            raise TerminalError(
                f"the warehouse at {address(url)} refused the login: {_last_line(error)}", action=action
            ) from error
    raise WarehouseDownError(
        f"the warehouse at {address(url)} cannot be reached: {_last_line(error)}",
        expected="a running PostgreSQL server with a free connection",
        action="start it with `crime up`",
    ) from error


def _first_line(error: psycopg.Error) -> str:
    return str(error).partition("\n")[0]


def _last_line(error: psycopg.Error) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and "Is the server running" not in line]
    return lines[-1] if lines else type(error).__name__


def _embedded_warehouse(settings: Settings) -> Warehouse:
    from include.warehouse.embedded import EmbeddedServer

    server = EmbeddedServer(settings.home)
    info = server.status()
    if info is None:
        raise TerminalError(
            "the warehouse is not running", expected="the embedded server, or CRIME_OWNER_URL", action="run `crime up`"
        )
    return server.passwords().warehouse(info.admin_url, database=settings.database)
