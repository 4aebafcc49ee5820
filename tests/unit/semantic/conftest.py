"""A vocabulary as the generator's snapshot of 200,000 rows gave it, and the development questions."""

import json
from pathlib import Path

import pytest
import yaml

from agent.semantic import Vocabulary

FIXTURES = Path(__file__).parents[2] / "fixtures" / "semantic"


def load_cases(name: str) -> list[dict[str, object]]:
    """Read a table of cases."""
    cases: list[dict[str, object]] = yaml.safe_load((FIXTURES / name).read_text(encoding="utf-8"))
    return cases


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    return Vocabulary.from_json(json.loads((FIXTURES / "vocabulary.json").read_text(encoding="utf-8")))
