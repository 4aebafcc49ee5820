"""Fixtures of all layers: a real PostgreSQL server, fresh databases on it, the real rows beside the repository."""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from include.settings import PROJECT_ROOT
from include.warehouse import EmbeddedServer, Passwords, Warehouse, process, run_bootstrap

TEST_PASSWORDS = Passwords(owner="owner-of-tests", reader="reader-of-tests", analyst="analyst-of-tests")
HOME_PREFIX = "crime-test-"
SHARED_DATA = PROJECT_ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def pg_admin_url() -> Iterator[str]:
    """A superuser's URL: TEST_DATABASE_URL, else that of a server made for this session."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url
        return
    remove_leftovers()
    with open_directory() as home:
        server = EmbeddedServer(home)
        try:
            yield start_for_tests(server)
        finally:
            server.destroy()


def start_for_tests(server: EmbeddedServer) -> str:
    """Start a server that will be thrown away and return its superuser's URL: it never waits for the disk."""
    url = server.start().admin_url
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("ALTER SYSTEM SET fsync = off")
        admin.execute("SELECT pg_reload_conf()")
    return url


@contextmanager
def open_directory() -> Iterator[Path]:
    """Make a temporary directory that everybody can enter: the account of a server started by root must."""
    with tempfile.TemporaryDirectory(prefix=f"{HOME_PREFIX}{os.getpid()}-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def remove_leftovers() -> None:
    """End the servers of test sessions that were killed before they could do it themselves."""
    for home in Path(tempfile.gettempdir()).glob(f"{HOME_PREFIX}*"):
        maker = home.name.removeprefix(HOME_PREFIX).partition("-")[0]
        if not maker.isdigit() or psutil.pid_exists(int(maker)) or home.stat().st_uid != os.geteuid():
            continue
        for pid_file in home.rglob("postmaster.pid"):
            if (postmaster := process.read_postmaster(pid_file.parent)) is not None:
                process.stop_process(postmaster.pid, pid_file.parent)
        shutil.rmtree(home)


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
