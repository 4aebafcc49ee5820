"""The DAG folder as Airflow reads it: a bag parsed once, and the facts of a parse in a fresh process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from include.settings import PROJECT_ROOT

DAGS, PLUGINS = PROJECT_ROOT / "dags", PROJECT_ROOT / "plugins"
PARSE = Path(__file__).with_name("parse_dags.py")
AIRFLOW_HOME = tempfile.TemporaryDirectory(prefix="crime-dags-")

# Airflow reads its configuration when it is imported, and writes one where there is none.
os.environ["AIRFLOW_HOME"] = AIRFLOW_HOME.name
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ["AIRFLOW__CORE__PLUGINS_FOLDER"] = str(PLUGINS)
sys.path.extend(str(folder) for folder in (DAGS, PLUGINS) if str(folder) not in sys.path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.airflow)


@pytest.fixture(scope="session")
def bag() -> Any:
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(dag_folder=str(DAGS))


@pytest.fixture(scope="session")
def parsed() -> Callable[..., dict[str, Any]]:
    """Return a function that parses the folder in a fresh process under the given variables."""
    found: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}

    def parse(**variables: str) -> dict[str, Any]:
        key = tuple(sorted(variables.items()))
        if key not in found:
            done = subprocess.run(
                [sys.executable, str(PARSE), str(DAGS)],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (PROJECT_ROOT, DAGS)))} | variables,
                capture_output=True,
                text=True,
                check=False,
                cwd=PROJECT_ROOT,
            )
            assert done.returncode == 0, done.stderr
            found[key] = json.loads(done.stdout.splitlines()[-1])
        return found[key]

    return parse


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The context that task bodies see; a test fills in params and run."""
    from crime_dags import benchmark_tasks, ingest_tasks

    given: dict[str, Any] = {}
    for module in (benchmark_tasks, ingest_tasks):
        monkeypatch.setattr(module, "get_current_context", lambda: given)
    return given
