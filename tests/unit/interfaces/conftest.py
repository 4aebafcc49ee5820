"""A command line of its own per test: a fresh home, no provider, no settings kept from another test."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent.interfaces.cli import app
from include.settings import Settings, get_settings

DEAD_PORT = 9  # "discard": nothing listens there


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


Crime = Callable[..., Ended]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("CRIME_") or name in ("GROQ_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    monkeypatch.setenv("CRIME_HOME", str(tmp_path / "home"))
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.fixture
def crime() -> Crime:
    """Return a function that runs `crime` with arguments; keywords are environment variables."""

    def run(*arguments: str, **variables: str) -> Ended:
        get_settings.cache_clear()
        done = CliRunner(env=variables).invoke(app, list(arguments))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Ended(done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def dead_database() -> dict[str, str]:
    """Variables that point at a server where none listens."""
    url = f"postgresql://crime_owner:secret-word@127.0.0.1:{DEAD_PORT}/chicago_crime"
    return {"CRIME_OWNER_URL": url, "CRIME_READER_URL": url, "CRIME_ANALYST_URL": url}
