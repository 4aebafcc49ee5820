"""One run: every question of the set by one arm on one snapshot, several at once, resumable."""

import logging
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from agent.benchmark.answer import Answer
from agent.benchmark.golds import ensure_golds
from agent.benchmark.judge import open_judge
from agent.benchmark.metrics import arm_metrics
from agent.benchmark.question_run import Bench, run_question
from agent.benchmark.questions import Question, QuestionSet, load_questions
from agent.benchmark.run import Run
from agent.benchmark.store import finish_run, finished_questions, load_answers, save_answers, start_run
from agent.guard import Guard, Limits
from include.errors import PlatformError, RefusedError
from include.ingest import ensure_variants
from include.settings import Settings
from include.warehouse import Snapshot, Warehouse, require_snapshot

logger = logging.getLogger(__name__)

Progress = Callable[[str], None]


def run_arm(
    warehouse: Warehouse, run: dict[str, Any], *, settings: Settings, progress: Progress | None = None
) -> dict[str, Any]:
    """Answer and score every question of a planned run, and return its figures.

    A run that was cut short goes on with the questions it has not answered.

    Args:
        warehouse: where snapshot and results lie.
        run: `Run.to_json()` of a planned run.
        settings: limits, provider keys, how many questions at once.
        progress: told every tenth question.

    Raises:
        RefusedError: the snapshot's contents or the question file are not those the run was planned for.
    """
    planned = Run(**run)
    questions = load_questions(Path(planned.questions_path) if planned.questions_path else None)
    with warehouse.owner() as conn:
        snapshot = require_snapshot(conn, planned.snapshot_id)
    _check_provenance(planned, questions=questions, snapshot=snapshot)
    start_run(warehouse, planned)
    metrics: dict[str, Any] | None = None
    error: str | None = "the run was cut short"
    try:
        answers = _answer_all(
            warehouse, planned, questions=questions, snapshot=snapshot, settings=settings, progress=progress
        )
        metrics, error = arm_metrics(answers), None
    except PlatformError as failure:
        error = str(failure)
        raise
    finally:
        finish_run(warehouse, planned.bench_id, metrics=metrics, error=error)
    return {"bench_id": planned.bench_id, "arm": planned.arm, "repeat": planned.repeat_no, "metrics": metrics}


def _answer_all(
    warehouse: Warehouse,
    run: Run,
    *,
    questions: QuestionSet,
    snapshot: Snapshot,
    settings: Settings,
    progress: Progress | None,
) -> tuple[Answer, ...]:
    done = finished_questions(warehouse, run.bench_id)
    open_questions = [question for question in questions.scored if question.id not in done]
    # Shuffled by the run's id: a fault of the provider then hits no tier in particular, and a rerun repeats the order.
    random.Random(run.bench_id).shuffle(open_questions)  # noqa: S311 - an order, no secret
    with Guard(warehouse, settings=settings) as guard:
        bench = Bench(
            run=run,
            warehouse=warehouse,
            settings=settings,
            guard=guard,
            limits=Limits.for_bench(settings),
            golds=ensure_golds(warehouse, questions, snapshot=snapshot, guard=guard, settings=settings),
            variants={
                variant.snapshot_id: ensure_golds(
                    warehouse, questions, snapshot=variant, guard=guard, settings=settings
                )
                for variant in ensure_variants(warehouse)
            },
            judge=open_judge(settings),
        )
        _run_parallel(open_questions, bench=bench, total=len(questions.scored), progress=progress)
    return load_answers(warehouse, run.bench_id)


def _run_parallel(open_questions: list[Question], *, bench: Bench, total: int, progress: Progress | None) -> None:
    done = total - len(open_questions)
    with ThreadPoolExecutor(bench.settings.bench_parallel) as pool:
        futures = [pool.submit(run_question, question, bench=bench) for question in open_questions]
        try:
            for future in as_completed(futures):
                save_answers(bench.warehouse, bench.run.bench_id, [future.result()])
                done += 1
                if progress and (done % 10 == 0 or done == total):
                    progress(f"{bench.run.arm}, repeat {bench.run.repeat_no}: {done} of {total} questions")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _check_provenance(run: Run, *, questions: QuestionSet, snapshot: Snapshot) -> None:
    if snapshot.fingerprint != run.fingerprint:
        raise RefusedError(
            f"snapshot {run.snapshot_id} has fingerprint {snapshot.fingerprint}",
            expected=f"{run.fingerprint}, which the run was planned for",
            action="plan the benchmark again",
        )
    if questions.content_hash != run.question_set:
        raise RefusedError(
            f"the question file now has the digest {questions.content_hash[:12]}",
            expected=f"{run.question_set[:12]}, which the run was planned for",
            action="plan the benchmark again",
        )
