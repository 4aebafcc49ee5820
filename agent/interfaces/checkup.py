"""What `crime doctor` checks: this machine, the warehouse, the agent's role, the provider, the local stack."""

import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agent.guard import verify_role
from agent.interfaces.stack.services import find_service
from agent.llm import default_model
from include.errors import PlatformError
from include.settings import Settings
from include.warehouse import Finding, Warehouse, check_warehouse

MIN_FREE_BYTES = 5 * 2**30
MIN_PYTHON, BELOW_PYTHON = (3, 11), (3, 14)


@dataclass(frozen=True)
class Checkup:
    """The findings in the order they were checked."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.ok for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Return the findings as JSON values."""
        return {"ok": self.ok, "findings": [asdict(finding) for finding in self.findings]}


def run_checkup(settings: Settings) -> Checkup:
    """Check everything and return what was found; a part that cannot be reached is a finding, no exception."""
    findings = [_python(), _disk(settings.home), *_warehouse(settings), _provider(settings), _stack(settings)]
    return Checkup(tuple(findings))


def _python() -> Finding:
    seen = ".".join(map(str, sys.version_info[:3]))
    ok = MIN_PYTHON <= sys.version_info[:2] < BELOW_PYTHON
    return Finding("Python", ok, seen, "3.11 to 3.13", "make the virtual environment with one of them: make setup")


def _disk(home: Path) -> Finding:
    place = next(folder for folder in (home.absolute(), *home.absolute().parents) if folder.exists())
    free = shutil.disk_usage(place).free
    return Finding(
        "free disk",
        free >= MIN_FREE_BYTES,
        f"{free / 2**30:.1f} GiB at {place}",
        f"{MIN_FREE_BYTES / 2**30:.0f} GiB",
        "free space, or set CRIME_HOME to a folder on a larger disk",
    )


def _warehouse(settings: Settings) -> list[Finding]:
    try:
        warehouse = Warehouse.from_settings(settings)
    except PlatformError as error:
        return [Finding("warehouse", False, error.seen, error.expected, error.action)]
    return [*check_warehouse(warehouse), _role(warehouse)]


def _role(warehouse: Warehouse) -> Finding:
    try:
        with warehouse.reader(autocommit=True) as conn:
            verdict = verify_role(conn)
    except PlatformError as error:
        return Finding("agent's role", False, error.seen, error.expected, error.action)
    return Finding(
        "agent's role",
        verdict.ok,
        f"{verdict.role}: " + ("; ".join(verdict.findings) or "can read the snapshots and do nothing else"),
        "a role that can only read the snapshots",
        "crime bootstrap",
    )


def _provider(settings: Settings) -> Finding:
    model = default_model(settings)
    seen = f"{model}" if model else "no key: the key-less strategy `semantic` serves"
    return Finding("model provider", True, seen, "a provider key, or none")


def _stack(settings: Settings) -> Finding:
    run_dir = settings.home.absolute() / "run"
    names = ("airflow-api-server", "airflow-scheduler", "airflow-dag-processor")
    running = [name for name in names if find_service(name, run_dir=run_dir) is not None]
    missing = [name for name in names if name not in running]
    seen = (
        "all three processes run"
        if not missing
        else f"{', '.join(missing)} not running"
        if running
        else "not running here"
    )
    return Finding(
        "Airflow", len(running) in (0, len(names)), seen, "all three processes, or none", "crime down; crime up"
    )
