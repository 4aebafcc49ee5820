"""Fixtures of all layers: a real PostgreSQL server, fresh databases on it, the real rows beside the repository."""

import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from include.settings import PROJECT_ROOT
from include.warehouse import EmbeddedServer, Passwords, Warehouse, run_bootstrap

TEST_PASSWORDS = Passwords(owner="owner-of-tests", reader="reader-of-tests", analyst="analyst-of-tests")
SHARED_DATA = PROJECT_ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def pg_admin_url() -> Iterator[str]:
    """A superuser's URL: TEST_DATABASE_URL, else that of a server made for this session."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="crime-pg-") as home:
        # The server's account must be able to enter it, as root too.
        Path(home).chmod(0o755)
        server = EmbeddedServer(Path(home))
        info = server.start()
        try:
            yield info.admin_url
        finally:
            server.destroy()


@contextmanager
def fresh_warehouse(admin_url: str) -> Iterator[Warehouse]:
    """Bootstrap a database of a unique name, and drop it afterwards."""
    database = f"crime_test_{uuid.uuid4().hex[:12]}"
    try:
        yield run_bootstrap(admin_url, database=database, passwords=TEST_PASSWORDS)
    finally:
        with psycopg.connect(admin_url, autocommit=True) as admin:
            admin.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')


@pytest.fixture(scope="module")
def warehouse(pg_admin_url: str) -> Iterator[Warehouse]:
    """A fresh warehouse, one a test module."""
    with fresh_warehouse(pg_admin_url) as made:
        yield made


@pytest.fixture
def new_warehouse(pg_admin_url: str) -> Iterator[Warehouse]:
    """A fresh warehouse of one test."""
    with fresh_warehouse(pg_admin_url) as made:
        yield made


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The directory of the real rows, which lies beside the repository; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real rows (shared/data beside the repository) are absent")
    return SHARED_DATA
