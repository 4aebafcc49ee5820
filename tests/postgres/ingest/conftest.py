"""Fixtures of the ingestion tests: hand-made sources under one identity, small settings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from include.ingest import IngestRequest, IngestResult, run_ingest
from include.settings import Settings
from include.source import SourceSpec
from include.source.simulator import SimulatorHandle, open_store, serve
from include.warehouse import Warehouse
from tests.support.chaos import OUTCOMES, table
from tests.support.incidents import write_file

Rows = Sequence[Mapping[str, str]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        home=tmp_path, page_rows=100, source_attempts=3, source_backoff=0.001, source_timeout=2, publish_patience=1
    )


@pytest.fixture(autouse=True)
def no_suite(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite has tests of its own and takes seconds to import."""
    if "suite" not in request.keywords:
        monkeypatch.setattr("include.ingest.check.run_suite", lambda url, snapshot_id: [])


class Source:
    """Rows served under an identity of choice, so that they can change while the source stays the same."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self._directory = directory
        self._stack = stack
        self._number = 0

    def serve(self, rows: Rows, *, identity: str = "file:sha256=test", faults: Sequence[str] = ()) -> SourceSpec:
        return self.open(rows, identity=identity, faults=faults)[0]

    def open(
        self, rows: Rows, *, identity: str = "file:sha256=test", faults: Sequence[str] = ()
    ) -> tuple[SourceSpec, SimulatorHandle]:
        self._number += 1
        store = open_store(write_file(self._directory / f"source-{self._number}.csv", rows))
        handle = self._stack.enter_context(serve(store, faults=faults))
        return SourceSpec("file", handle.url, "ijzp-q8t2", identity=identity), handle


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    with ExitStack() as stack:
        yield Source(tmp_path, stack)


Ingest = Callable[..., IngestResult]


@pytest.fixture
def ingest(new_warehouse: Warehouse, settings: Settings) -> Ingest:
    """Run an ingestion of a source into the test's warehouse."""

    def run(source: SourceSpec, *, settings: Settings = settings, **wanted: object) -> IngestResult:
        return run_ingest(new_warehouse, IngestRequest(source=source, **wanted), settings=settings)

    return run


@pytest.fixture
def raw(new_warehouse: Warehouse) -> Callable[[str], list[tuple[object, ...]]]:
    """Ask the test's warehouse as its owner."""

    def ask(query: str) -> list[tuple[object, ...]]:
        with new_warehouse.owner() as conn:
            return conn.execute(query).fetchall()

    return ask


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what came of the chaos cases."""
    if OUTCOMES:
        terminalreporter.section("chaos")
        for line in table(OUTCOMES):
            terminalreporter.write_line(line)
