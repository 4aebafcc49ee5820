"""A built and published snapshot of 4,000 rows, a guard on it, and settings that point at a scripted model."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from agent.guard import Guard
from include.ingest import run_build
from include.settings import PROJECT_ROOT, Settings
from include.warehouse import Warehouse
from tests.support.openai_server import ScriptedServer

SNAPSHOT = "snap_20200101t000000"
RAW_ROWS = PROJECT_ROOT / "tests" / "fixtures" / "agent" / "raw_rows.sql"
MODELS = ("groq:openai/gpt-oss-120b", "openai:scripted")


@pytest.fixture(scope="module")
def published(warehouse: Warehouse) -> str:
    """The published snapshot's id."""
    with warehouse.owner() as conn:
        conn.execute(RAW_ROWS.read_text())
        built = run_build(conn, schema=SNAPSHOT)
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, row_count, newest_incident, fingerprint, published_at)"
            " VALUES (%s, 'published', %s, %s, %s, now())",
            (SNAPSHOT, built.row_count, built.newest_incident, built.fingerprint),
        )
    return SNAPSHOT


@pytest.fixture(scope="module")
def guard(warehouse: Warehouse, published: str) -> Iterator[Guard]:
    with Guard(warehouse, settings=Settings()) as made:
        yield made


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("home"))


def keyless(home: str, **more: object) -> Settings:
    """Settings without any provider."""
    keys = {"groq_api_key": None, "openai_api_key": None, "anthropic_api_key": None}
    return Settings.model_validate({"home": home, **keys, "openai_model": None, "openai_base_url": None, **more})


def scripted(server: ScriptedServer, home: str) -> Settings:
    """Settings under which both providers of `MODELS` are the scripted server."""
    return keyless(
        home,
        groq_api_key=SecretStr("test-key"),
        groq_base_url=server.url,
        openai_base_url=server.openai_url,
        model_timeout=5.0,
        model_attempts=2,
    )
