"""Striking an ingestion at a place of choice, in this process or in a child; and the table of what came of it."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any
from unittest import mock

from include.errors import PlatformError
from include.ingest import IngestRequest, run_ingest
from include.settings import PROJECT_ROOT, Settings
from include.source import SourceSpec
from include.warehouse import Warehouse

PLACES: Mapping[str, tuple[str, str, int]] = {
    "plan": ("include.ingest.plan", "check_shrink", 1),
    "land, first page": ("include.ingest.land", "Meter.add", 1),
    "land, third page": ("include.ingest.land", "Meter.add", 3),
    "merge, texts staged": ("include.ingest.staging", "Staging.type", 1),
    "merge, before its commit": ("include.ingest.merge", "_settle", 1),
    "merge, after its commit": ("include.ingest.merge", "record_step", 2),
    "reconcile, ids compared": ("include.ingest.reconcile", "_confirm", 1),
    "reconcile, before marking": ("include.ingest.reconcile", "mark_deleted", 1),
    "build, tables loaded": ("include.ingest.build", "add_keys", 1),
    "build, after its commit": ("include.ingest.snapshot", "vacuum_snapshot", 1),
    "check, before the gates": ("include.ingest.check", "evaluate_gates", 1),
    "check, verdicts stored": ("include.ingest.check", "add_warnings", 1),
    "publish, before": ("include.ingest.publish", "run_publish", 1),
    "publish, after": ("include.ingest.publish", "run_retention", 1),
    "finish": ("include.ingest.run", "finish_run", 1),
}
"""Module, attribute and number of the call before which an ingestion is struck."""


@dataclass(frozen=True)
class Outcome:
    """A line of the table."""

    case: str
    load: str
    first: str
    rerun: str
    rows_in: int
    rows_out: int
    seconds: float


OUTCOMES: list[Outcome] = []


@contextmanager
def striking(place: str, strike: Callable[[], None]) -> Iterator[None]:
    """Call `strike` once when an ingestion comes to a place."""
    module, path, number = PLACES[place]
    owner, _, name = path.rpartition(".")
    holder = getattr(import_module(module), owner) if owner else import_module(module)
    original = getattr(holder, name)
    calls = 0

    def struck(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            strike()
        return original(*args, **kwargs)

    with mock.patch.object(holder, name, struck):
        yield


def run_child(
    warehouse: Warehouse,
    source: SourceSpec,
    settings: Settings,
    *,
    mode: str,
    kill_at: str | None = None,
    file_limit: int | None = None,
) -> tuple[int, str]:
    """Ingest in a child process and return its exit code (negative: the signal that ended it) and its errors.

    Args:
        warehouse: where.
        source: which.
        settings: only those set on purpose are handed on.
        mode: of the ingestion.
        kill_at: place at which the child kills itself, with SIGKILL.
        file_limit: bytes after which no file of the child can grow.
    """
    told = {
        "warehouse": asdict(warehouse),
        "source": source.to_dict(),
        "settings": settings.model_dump(mode="json", include=settings.model_fields_set),
        "mode": mode,
        "kill_at": kill_at,
        "file_limit": file_limit,
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.chaos"],
        cwd=PROJECT_ROOT,
        input=json.dumps(told),
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield the lines of the table and, at last, the counts."""
    yield f"{'case':<34} {'load':<10} {'first run':<42} {'rerun':<10} {'in':>6} {'out':>6} {'s':>5}"
    for line in outcomes:
        yield (
            f"{line.case:<34} {line.load:<10} {line.first[:42]:<42} {line.rerun:<10}"
            f" {line.rows_in:>6,} {line.rows_out:>6,} {line.seconds:>5.1f}"
        )
    completed = sum(line.first.startswith("published") for line in outcomes)
    yield f"{len(outcomes)} cases: {completed} completed at once, {len(outcomes) - completed} by a rerun"


def _child() -> int:
    told = json.load(sys.stdin)
    if told["file_limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (told["file_limit"], told["file_limit"]))
    request = IngestRequest(source=SourceSpec.from_dict(told["source"]), mode=told["mode"])

    def ingest() -> None:
        with mock.patch("include.ingest.check.run_suite", return_value=[]):
            run_ingest(Warehouse(**told["warehouse"]), request, settings=Settings(**told["settings"]))

    try:
        if told["kill_at"]:
            with striking(told["kill_at"], lambda: os.kill(os.getpid(), signal.SIGKILL)):
                ingest()
        else:
            ingest()
    except PlatformError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(_child())
