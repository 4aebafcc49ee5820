"""The chain in Airflow as `crime demo` runs it: twice, then the pages, then down without a trace."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
import requests

from agent.interfaces.stack import run_down
from include.settings import PROJECT_ROOT, Settings
from include.warehouse import Warehouse
from tests.conftest import open_directory

ROWS = 20_000
SIZE_TOLERANCE = 0.01
MIN_SEMANTIC_EX = 0.6

pytestmark = [pytest.mark.e2e, pytest.mark.airflow, pytest.mark.postgres, pytest.mark.timeout(900)]


class Demo:
    """One home of the platform, driven by the command line alone."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.pids: set[int] = set()

    def crime(self, *arguments: str) -> dict[str, Any]:
        """Run a command with `--json` and return its document."""
        done = subprocess.run(
            [sys.executable, "-m", "agent.interfaces.cli", *arguments, "--json"],
            env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE" and not _is_provider(k)}
            | {"CRIME_HOME": str(self.home)},
            cwd=PROJECT_ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        self.pids |= {json.loads(record.read_text())["pid"] for record in (self.home / "run").glob("*.json")}
        return dict(json.loads(done.stdout))

    def ask_ops(self, sql: str) -> list[tuple[Any, ...]]:
        """Return rows of the warehouse."""
        with psycopg.connect(Warehouse.from_settings(Settings(home=self.home)).owner_url) as conn:
            return conn.execute(sql).fetchall()

    def processes(self) -> list[str]:
        """Return the processes that belong to this home: recorded ones, and any that names the home."""
        found = []
        for process in psutil.process_iter(["pid", "cmdline", "status"]):
            if process.info["status"] == psutil.STATUS_ZOMBIE or process.pid == os.getpid():
                continue
            if process.pid in self.pids or _names(process, str(self.home)):
                found.append(f"{process.pid}: {' '.join(process.info['cmdline'] or [])[:200]}")
        return found


def _is_provider(name: str) -> bool:
    return name.startswith("CRIME_") or name in ("GROQ_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def _names(process: psutil.Process, home: str) -> bool:
    try:
        return any(home in part for part in process.cmdline()) or process.environ().get("CRIME_HOME") == home
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    with open_directory() as home:
        made = Demo(home / "home")
        try:
            yield made
        finally:
            run_down(Settings(home=made.home))


@pytest.fixture(scope="module")
def first(demo: Demo) -> dict[str, Any]:
    return demo.crime("demo", "--rows", str(ROWS))


@pytest.fixture(scope="module")
def second(demo: Demo, first: dict[str, Any]) -> dict[str, Any]:
    return demo.crime("demo", "--rows", str(ROWS))


def test_first_demo_loads_everything_and_publishes(demo, first):
    assert first["mode"] == "full"
    assert abs(first["rows_received"] - ROWS) < ROWS * SIZE_TOLERANCE
    assert first["rows_inserted"] == first["rows_received"]
    assert first["rows_published"] == first["rows_received"] - first["rows_deleted"]
    assert demo.ask_ops("SELECT count(*) FROM public.crime_incidents") == [(first["rows_published"],)]
    published = demo.ask_ops("SELECT snapshot_id, row_count FROM ops.snapshot WHERE state = 'published'")
    assert published == [(first["snapshot_id"], first["rows_published"])]
    assert sum(cells for rule, cells in first["cells_imputed"].items() if rule.startswith("LATITUDE")) > 0
    assert json.loads((demo.home / "demo" / "summary.json").read_text()) == first


def test_benchmark_and_report_followed_by_asset(demo, first):
    assert set(first["dag_runs"]) == {"ingest_chicago_crime", "benchmark_agent", "report_benchmark"}
    assert first["dag_runs"]["benchmark_agent"].startswith("asset_triggered__")
    assert first["dag_runs"]["report_benchmark"].startswith("asset_triggered__")
    (arm,) = first["arms"]
    assert (arm["strategy"], arm["metrics"]["scored"]) == ("semantic", 96)
    assert sum(arm["metrics"]["outcomes"].values()) == 96
    assert arm["metrics"]["ex_default"] >= MIN_SEMANTIC_EX
    assert arm["metrics"]["outcomes"].get("infrastructure", 0) == 0
    page = Path(first["report_path"]).read_text()
    assert first["snapshot_id"] in page
    assert "http://" not in page.replace("http://www.w3.org/", "").replace("http://127.0.0.1", "")


def test_second_demo_is_an_increment(demo, first, second):
    assert second["mode"] == "incremental"
    assert 0 < second["rows_received"] < ROWS // 10
    assert second["rows_inserted"] > 0
    expected = first["rows_published"] + second["rows_inserted"] - second["rows_deleted"]
    assert second["rows_published"] == expected
    assert second["snapshot_id"] != first["snapshot_id"]
    assert second["newest_incident"] > first["newest_incident"]
    assert second["dag_runs"]["benchmark_agent"] != first["dag_runs"]["benchmark_agent"]
    states = dict(demo.ask_ops("SELECT snapshot_id, state FROM ops.snapshot WHERE snapshot_id LIKE 'snap_%'"))
    assert states == {first["snapshot_id"]: "superseded", second["snapshot_id"]: "published"}
    assert demo.ask_ops("SELECT count(*) FROM ops.ingest_run WHERE status <> 'published'") == [(0,)]


def test_pages_show_report_and_snapshots_behind_airflows_login(demo, second):
    url = second["airflow_url"]
    for path in ("/crime/report", "/crime/snapshots", f"/crime/snapshots/{second['snapshot_id']}"):
        assert requests.get(url + path, timeout=30).status_code == 401, path
        assert requests.get(url + path, headers={"Authorization": "Bearer x"}, timeout=30).status_code in (401, 403)
    viewer = _login(second, "viewer")
    report = viewer.get(f"{url}/crime/report", timeout=30)
    assert report.status_code == 200
    assert report.text == Path(second["report_path"]).read_text()
    snapshots = viewer.get(f"{url}/crime/snapshots", timeout=30)
    assert snapshots.status_code == 200
    assert f'href="snapshots/{second["snapshot_id"]}"' in snapshots.text
    one = viewer.get(f"{url}/crime/snapshots/{second['snapshot_id']}", timeout=30)
    assert one.status_code == 200
    assert "default-src 'none'" in one.headers["content-security-policy"]
    assert viewer.get(f"{url}/crime/snapshots/none", timeout=30).status_code == 404
    assert viewer.get(f"{url}/crime/openapi.json", timeout=30).status_code == 404


def test_navigation_has_the_pages(demo, second):
    admin = _login(second, "admin")
    plugins = admin.get(f"{second['airflow_url']}/api/v2/plugins", timeout=30).json()["plugins"]
    (ours,) = [plugin for plugin in plugins if plugin["name"] == "crime_platform"]
    views = {view["name"]: (view["href"], view["destination"]) for view in ours["external_views"]}
    assert views == {"Crime report": ("/crime/report", "nav"), "Crime snapshots": ("/crime/snapshots", "nav")}
    errors = admin.get(f"{second['airflow_url']}/api/v2/plugins/importErrors", timeout=30).json()
    assert errors["import_errors"] == []


def test_down_leaves_no_process(demo, second):
    names = demo.crime("down")["stopped"]
    assert {"airflow-api-server", "airflow-scheduler", "airflow-dag-processor", "simulator", "postgresql"} <= set(names)
    assert len(demo.pids) >= 4
    assert demo.processes() == []
    assert demo.crime("down")["stopped"] == []


def _login(summary: dict[str, Any], user: str) -> requests.Session:
    password = json.loads(Path(summary["passwords_file"]).read_text())[user]
    answer = requests.post(
        f"{summary['airflow_url']}/auth/token", json={"username": user, "password": password}, timeout=30
    )
    assert answer.status_code == 201, answer.text
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return session
