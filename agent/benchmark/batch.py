"""A batch: the runs of an arm set on one snapshot, planned together; the command line and the DAG both start here."""

import json
import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.arms import Arm, default_arm, resolve_arm
from agent.benchmark.arm_sets import load_arms
from agent.benchmark.figures import BenchReport, make_report
from agent.benchmark.git import git_sha
from agent.benchmark.judge import open_judge
from agent.benchmark.questions import QuestionSet, load_questions
from agent.benchmark.run import Run
from agent.benchmark.runner import run_arm
from agent.llm import default_model, open_model
from include.errors import UsageError
from include.settings import Settings
from include.warehouse import Snapshot, Warehouse, load_sql, published_snapshot, require_snapshot

Progress = Callable[[str], None]


@dataclass(frozen=True)
class BenchRequest:
    """What to run: arms, repeats, on which snapshot, with which questions (None = the 100)."""

    arms: tuple[Arm, ...]
    repeats: int
    snapshot_id: str | None = None
    questions: Path | None = None


@dataclass(frozen=True)
class Batch:
    """The planned runs; or none, with the reason."""

    runs: tuple[Run, ...]
    skip_reason: str | None = None


def bench_request(
    settings: Settings,
    *,
    strategies: Sequence[str] = (),
    stages: Sequence[str] = (),
    relevance: str | None = None,
    arms: str | None = None,
    repeats: int | None = None,
    questions: Path | None = None,
    snapshot_id: str | None = None,
) -> BenchRequest:
    """Return the request of the command line: a named arm set, or every strategy at every stage.

    Raises:
        UsageError: unknown names, or an arm set and single arms together.
    """
    if arms and (strategies or stages or relevance):
        raise UsageError("an arm set and single arms were given", expected="--arms, or --strategy with --stage")
    if arms:
        chosen = load_arms(arms)
        return BenchRequest(chosen.arms, repeats or chosen.repeats, snapshot_id, questions)
    names = tuple(strategies) or (default_arm(settings).strategy,)
    made = [Arm(strategy=name, stage=stage) for name in names for stage in (tuple(stages) or (None,))]
    if relevance:
        made = [replace(arm, relevance=relevance) for arm in made]  # type: ignore[arg-type]  # resolve_arm checks it
    resolved = dict.fromkeys(resolve_arm(arm)[0] for arm in made)
    return BenchRequest(tuple(resolved), repeats or 1, snapshot_id, questions)


def run_benchmark(
    warehouse: Warehouse, request: BenchRequest, *, settings: Settings, progress: Progress | None = None
) -> BenchReport:
    """Run every arm and repeat one after another and return the figures.

    Raises:
        RefusedError: there is no such snapshot.
        UsageError: a provider key lacks.
    """
    with warehouse.owner() as conn:
        snapshot = require_snapshot(conn, request.snapshot_id)
    runs = plan_runs(request, snapshot=snapshot, settings=settings)
    for run in runs:
        run_arm(warehouse, run.to_json(), settings=settings, progress=progress)
    return make_report(warehouse, runs)


def plan_batch(
    warehouse: Warehouse, *, arms: str | None, repeats: int | None, force: bool, settings: Settings
) -> Batch:
    """Return the runs of the nightly benchmark on the published snapshot, or why there is nothing to run.

    Raises:
        UsageError: an unknown arm set, or a provider key lacks.
    """
    with warehouse.owner() as conn:
        snapshot = published_snapshot(conn)
    if snapshot is None:
        return Batch(runs=(), skip_reason="no snapshot is published: nothing to measure")
    name = arms or settings.benchmark_arms or ("keyless" if default_model(settings) is None else "nightly")
    request = bench_request(settings, arms=name, repeats=repeats)
    runs = plan_runs(request, snapshot=snapshot, settings=settings)
    if not force and _measured_before(warehouse, runs):
        return Batch(runs=(), skip_reason="snapshot, questions, arms and code are those of the last run")
    return Batch(runs=runs)


def finish_batch(warehouse: Warehouse, runs: Sequence[dict[str, Any]], *, settings: Settings) -> dict[str, Any]:
    """Return the summary of a batch for the asset event: ids and the main figures per arm."""
    del settings
    with warehouse.owner() as conn:
        row = conn.execute(
            "SELECT batch_id, snapshot_id FROM ops.benchmark_run WHERE bench_id = %s", (runs[0]["bench_id"],)
        ).fetchone()
    assert row is not None
    figures = [{"arm": run["arm"], "repeat": run["repeat"], "ex_default": run["metrics"]["ex_default"]} for run in runs]
    return {"batch_id": row[0], "snapshot_id": row[1], "arms": figures}


def plan_runs(request: BenchRequest, *, snapshot: Snapshot, settings: Settings) -> tuple[Run, ...]:
    """Return the runs in an order of chance over arms, so that no arm has the better hour of the provider."""
    questions = load_questions(request.questions)
    batch_id = f"bench_{uuid.uuid4().hex[:12]}"
    judge = open_judge(settings)
    sha = git_sha(settings)
    runs = [
        _plan_run(
            arm,
            repeat_no=repeat_no,
            batch_id=batch_id,
            snapshot=snapshot,
            questions=questions,
            request=request,
            model=_model_name(arm, settings),
            judge=judge.name if judge else None,
            sha=sha,
        )
        for repeat_no in range(1, request.repeats + 1)
        for arm in request.arms
    ]
    random.Random(batch_id).shuffle(runs)  # noqa: S311 - an order, no secret
    return tuple(runs)


def _plan_run(
    arm: Arm,
    *,
    repeat_no: int,
    batch_id: str,
    snapshot: Snapshot,
    questions: QuestionSet,
    request: BenchRequest,
    model: str | None,
    judge: str | None,
    sha: str | None,
) -> Run:
    assert snapshot.fingerprint is not None
    return Run(
        bench_id=f"{batch_id}/{arm.label}/{repeat_no}",
        batch_id=batch_id,
        snapshot_id=snapshot.snapshot_id,
        fingerprint=snapshot.fingerprint,
        question_set=questions.content_hash,
        questions_path=str(request.questions.absolute()) if request.questions else "",
        arm=arm.label,
        strategy=arm.strategy,
        stage=None if arm.stage is None else str(arm.stage),
        relevance=arm.relevance,
        answers=arm.answers,
        model=model,
        judge=judge,
        repeat_no=repeat_no,
        git_sha=sha,
    )


def _model_name(arm: Arm, settings: Settings) -> str | None:
    """Return the model the arm will use; a missing key is met here, before anything runs."""
    if not resolve_arm(arm)[1].uses_model:
        return None
    return open_model(arm.model, settings=settings).name


def _measured_before(warehouse: Warehouse, runs: Sequence[Run]) -> bool:
    keys = [
        [run.fingerprint, run.question_set, run.arm, run.model, run.judge, run.git_sha, run.repeat_no] for run in runs
    ]
    if any(run.git_sha is None or run.git_sha.endswith("-dirty") for run in runs):
        return False
    with warehouse.owner() as conn:
        row = conn.execute(load_sql("benchmark/measured_before.sql"), {"keys": json.dumps(keys)}).fetchone()
    assert row is not None
    return bool(row[0])
