from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

import pytest
from requests.adapters import HTTPAdapter
from sodapy import Socrata

from include.settings import PROJECT_ROOT
from include.source.simulator import RowStore, SimulatorHandle, generate_store, open_store, serve

DATASET = "ijzp-q8t2"
FIXTURES = PROJECT_ROOT / "tests" / "fixtures" / "simulator"


@contextmanager
def client_of(handle: SimulatorHandle, *, token: str | None = None, timeout: float = 20) -> Iterator[Socrata]:
    adapter = {"prefix": "http://", "adapter": HTTPAdapter()}
    with Socrata(handle.domain, token, session_adapter=adapter, timeout=timeout) as client:
        yield client


@pytest.fixture(scope="session")
def small_store() -> RowStore:
    """The eight hand-made rows of crimes_small.csv."""
    return open_store(FIXTURES / "crimes_small.csv")


@pytest.fixture(scope="session")
def small(small_store: RowStore) -> Iterator[Callable[..., list]]:
    """Ask sodapy for the eight rows."""
    with serve(small_store) as handle, client_of(handle) as client:
        yield lambda **parameters: client.get(DATASET, **parameters)


@pytest.fixture(scope="session")
def generated() -> RowStore:
    return generate_store(rows=100_000, seed=11, as_of=date(2026, 11, 1))
