"""The demo's source: the SODA simulator as a service of the local stack, a week further at every demo."""

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import requests

from agent.interfaces.stack.ports import LOOPBACK, choose_port
from agent.interfaces.stack.services import find_service, require_alive, start_service, stop_service
from include.errors import TerminalError, UsageError
from include.settings import PROJECT_ROOT, Settings

SERVICE = "simulator"
SEED = 7
START_PATIENCE = 180.0
FIRST_LAG_DAYS = 13
"""Fresh enough for the freshness gate, and old enough that a week later is not yet the future."""


@dataclass(frozen=True)
class DemoSource:
    """The simulated source.

    Attributes:
        rows: generated rows of the first load.
        as_of: day of the newest incident of the first load, ISO form.
        weeks: weeks that have passed since.
        port: where it serves.
    """

    rows: int
    as_of: str
    weeks: int
    port: int

    @property
    def url(self) -> str:
        """Base URL of the simulator."""
        return f"http://{LOOPBACK}:{self.port}"


def start_demo_source(rows: int, *, settings: Settings) -> DemoSource:
    """Start the simulator on `rows` generated rows, a week further than the last demo on this machine.

    Raises:
        UsageError: an earlier demo was made with another number of rows.
        TerminalError: the simulator did not answer.
    """
    last = last_demo_source(settings)
    _check_rows(rows, last=last)
    # Stopped before the ports are looked at, so that its own is free again.
    stop_service(SERVICE, run_dir=settings.home.absolute() / "run")
    source = _plan_source(rows, last=last)
    _serve(source, settings=settings)
    _state_file(settings).parent.mkdir(parents=True, exist_ok=True)
    _state_file(settings).write_text(json.dumps(asdict(source)))
    return source


def resume_demo_source(settings: Settings) -> DemoSource | None:
    """Serve the source of this home's last demo again, as it was; None when no demo was run here.

    Raises:
        TerminalError: the simulator did not answer.
    """
    last = last_demo_source(settings)
    if last is None:
        return None
    if find_service(SERVICE, run_dir=settings.home.absolute() / "run") is None:
        last = replace(last, port=choose_port(0, preferred=last.port, setting=""))
        _serve(last, settings=settings)
        _state_file(settings).write_text(json.dumps(asdict(last)))
    return last


def last_demo_source(settings: Settings) -> DemoSource | None:
    """Return the source of this home's last demo; None when no demo was run here."""
    state = _state_file(settings)
    return DemoSource(**json.loads(state.read_text())) if state.exists() else None


def _state_file(settings: Settings) -> Path:
    return settings.home.absolute() / "demo" / "source.json"


def _serve(source: DemoSource, *, settings: Settings) -> None:
    run_dir, log_dir = settings.home.absolute() / "run", settings.home.absolute() / "logs"
    argv = [sys.executable, "-m", "include.source.simulator", "--rows", str(source.rows), "--seed", str(SEED)]
    argv += ["--as-of", source.as_of, "--weeks", str(source.weeks), "--port", str(source.port)]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    service = start_service(SERVICE, argv=argv, env=env, run_dir=run_dir, log_dir=log_dir, cwd=PROJECT_ROOT)
    deadline = time.monotonic() + START_PATIENCE
    while not _answers(source, dataset_id=settings.dataset_id):
        require_alive(service)
        if time.monotonic() > deadline:
            raise TerminalError(f"the simulator did not answer at {source.url}", action=f"read {service.log}")
        time.sleep(0.3)


def _check_rows(rows: int, *, last: DemoSource | None) -> None:
    if last is not None and last.rows != rows:
        raise UsageError(
            f"the demo on this machine was made with {last.rows:,} rows, not {rows:,}",
            action=f"crime demo --rows {last.rows}, or make clean for a new one",
        )


def _plan_source(rows: int, *, last: DemoSource | None) -> DemoSource:
    if last is None:
        as_of = date.today() - timedelta(days=FIRST_LAG_DAYS)
        return DemoSource(rows, as_of.isoformat(), weeks=0, port=choose_port(0, preferred=0, setting=""))
    return replace(last, weeks=last.weeks + 1, port=choose_port(0, preferred=last.port, setting=""))


def _answers(source: DemoSource, *, dataset_id: str) -> bool:
    try:
        return requests.get(f"{source.url}/api/views/{dataset_id}.json", timeout=5).ok
    except requests.RequestException:
        return False
