"""Landed runs on disk: what each one pulled, and the chain of runs that makes up the data set."""

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from include.errors import UsageError
from include.ingest.runs import Run
from include.settings import Settings
from include.source import (
    LandingError,
    LandTask,
    SourceKind,
    SourceSpec,
    instant,
    landed_runs,
    read_landed,
    task_folder,
)

_RUN_FILE = "run.json"


@dataclass(frozen=True)
class Step:
    """What one merge did: the tasks whose pages it took, then the ids it marked as deleted."""

    tasks: tuple[LandTask, ...] = ()
    deleted: tuple[int, ...] = ()


@dataclass(frozen=True)
class Chain:
    """A full load and the increments after it.

    Attributes:
        steps: what they did, oldest first; only in this order a row that was deleted and came back is there.
        watermark: up to where they reach.
    """

    steps: tuple[Step, ...]
    watermark: datetime | None

    @property
    def tasks(self) -> tuple[LandTask, ...]:
        """The tasks of all steps."""
        return tuple(task for step in self.steps for task in step.tasks)


def record_step(settings: Settings, run: Run, step: Step, *, is_first: bool = False) -> None:
    """Write what a run is about to do beside its pages, so that it can be done again without the database.

    Written ahead: a step that was recorded and never done is done by the run that follows, one that was done and not
    recorded would be lost.
    """
    folder = settings.landing_dir / run.run_id
    known = None if is_first else _read(folder)
    entry = {
        "run_id": run.run_id,
        "identity": run.request.source.identity,
        "mode": run.mode,
        "watermark": run.watermark_to.isoformat() if run.watermark_to else None,
        "steps": [*(known["steps"] if known else ()), *([_to_dict(step)] if step != Step() else ())],
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"{_RUN_FILE}.new"
        with draft.open("w", encoding="utf-8") as file:
            json.dump(entry, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / _RUN_FILE)
    except OSError as error:
        raise LandingError(
            f"{folder} cannot be written: {error.strerror or error}", action="free space, then run again"
        ) from error


def forget_run(settings: Settings, run: Run) -> None:
    """Take a run whose first step was refused out of the chain; its pages stay."""
    (settings.landing_dir / run.run_id / _RUN_FILE).unlink(missing_ok=True)


def read_chain(settings: Settings, run_id: str, *, identity: str) -> Chain:
    """Return the last full load of a source up to a run, and its merged increments up to that run.

    Raises:
        UsageError: when the run has no landed pages, or no full load of the source lies before it.
        LandingError: when pages of the chain are missing.
    """
    merged = {name: entry for name in landed_runs(settings) if (entry := _read(settings.landing_dir / name))}
    if run_id not in merged:
        raise UsageError(
            f"run {run_id} has no landed pages in {settings.landing_dir}",
            expected=f"one of {', '.join(merged) or 'none there'}",
            action="name one of those",
        )
    entries = [e for name, e in merged.items() if name <= run_id and e["identity"] == identity]
    starts = [index for index, entry in enumerate(entries) if entry["mode"] == "full"]
    if not starts:
        raise UsageError(
            f"there is no landed full load of {identity} up to {run_id}", action="name the source that was landed"
        )
    steps = [_from_dict(step, run_id=entry["run_id"]) for entry in entries[starts[-1] :] for step in entry["steps"]]
    for task in (task for step in steps for task in step.tasks):
        folder = task_folder(settings, str(task.run_id), task.name)
        if not read_landed(folder).complete:
            raise LandingError(f"{folder} does not hold the whole task", action="load from the source instead")
    marks = [instant(entry["watermark"]) for entry in entries if entry["watermark"]]
    return Chain(tuple(steps), max(marks, default=None))


def landed_source(settings: Settings, run_id: str) -> SourceSpec:
    """Return the source a landed run was pulled from, to be read from its pages and never contacted.

    Raises:
        UsageError: when the run has no landed pages.
    """
    entry = _read(settings.landing_dir / run_id) if run_id in landed_runs(settings) else None
    if entry is None:
        raise UsageError(
            f"run {run_id!r} has no landed pages in {settings.landing_dir}",
            expected=f"one of {', '.join(landed_runs(settings)) or 'none there'}",
            action="name one of those",
        )
    kind = str(entry["identity"]).partition(":")[0]
    return SourceSpec(
        cast(SourceKind, kind), url="landing:", dataset_id=settings.dataset_id, identity=entry["identity"]
    )


def landed_modes(settings: Settings) -> dict[str, str]:
    """Return the mode of each run that was merged and has landed pages."""
    entries = {name: _read(settings.landing_dir / name) for name in landed_runs(settings)}
    return {name: entry["mode"] for name, entry in entries.items() if entry}


def _to_dict(step: Step) -> dict[str, Any]:
    return {"tasks": [task.to_dict() for task in step.tasks], "deleted": list(step.deleted)}


def _from_dict(values: dict[str, Any], *, run_id: str) -> Step:
    tasks = tuple(LandTask.from_dict(task | {"run_id": run_id}) for task in values["tasks"])
    return Step(tasks, tuple(values["deleted"]))


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((folder / _RUN_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LandingError(f"{folder / _RUN_FILE} cannot be read: {error}", action="restore or remove it") from error
    return found if isinstance(found, dict) else None
