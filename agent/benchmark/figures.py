"""The figures of a batch as `crime bench --json` prints them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.rows import dict_row

from agent.benchmark.answer import Answer
from agent.benchmark.run import Run
from agent.benchmark.statistics import mean_and_sd
from agent.benchmark.store import load_answers
from include.warehouse import Warehouse

RATES = (
    "vsr", "em", "ex", "json_match", "ex_strict", "ex_default", "ex_lenient", "ex_robust", "ex_default_nonempty", "sq",
    "numbers_supported", "exact_copies", "false_rejects",
)  # fmt: skip
SHARED = ("scored", "outcomes", "by_tier", "failures", "intervals", "p50_ms", "p95_ms")


@dataclass(frozen=True)
class BenchReport:
    """Arms with their figures (mean over repeats), and every answer."""

    snapshot_id: str
    question_set: str
    batch_id: str
    arms: tuple[dict[str, Any], ...]
    questions: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the document of `crime bench --json`."""
        return {
            "snapshot_id": self.snapshot_id,
            "question_set": self.question_set,
            "batch_id": self.batch_id,
            "arms": list(self.arms),
            "questions": list(self.questions),
        }


def make_report(warehouse: Warehouse, runs: Sequence[Run]) -> BenchReport:
    """Read the figures of finished runs from `ops`."""
    metrics = _metrics(warehouse, [run.bench_id for run in runs])
    labels = sorted({run.arm for run in runs})
    arms = [_arm([run for run in runs if run.arm == label], metrics) for label in labels]
    ordered = sorted(runs, key=lambda run: (run.arm, run.repeat_no))
    questions = [_question(run, answer) for run in ordered for answer in load_answers(warehouse, run.bench_id)]
    return BenchReport(
        snapshot_id=runs[0].snapshot_id,
        question_set=runs[0].question_set,
        batch_id=runs[0].batch_id,
        arms=tuple(arms),
        questions=tuple(questions),
    )


def _metrics(warehouse: Warehouse, bench_ids: list[str]) -> dict[str, dict[str, Any]]:
    with warehouse.owner() as conn, conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(
            "SELECT bench_id, metrics, extract(epoch FROM finished_at - started_at)::float8 AS seconds"
            " FROM ops.benchmark_run WHERE bench_id = ANY(%s)",
            (bench_ids,),
        ).fetchall()
    return {row["bench_id"]: {**row["metrics"], "seconds": row["seconds"]} for row in rows}


def _arm(runs: Sequence[Run], metrics: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return an arm's figures: rates as means over repeats with their SD, sums for tokens, cost and seconds."""
    figures = [metrics[run.bench_id] for run in runs]
    spread = {name: mean_and_sd([f[name] for f in figures if f[name] is not None]) for name in RATES}
    first = runs[0]
    return {
        "name": first.arm,
        "strategy": first.strategy,
        "stage": first.stage,
        "relevance": first.relevance,
        "answers": first.answers,
        "model": first.model,
        "judge": first.judge,
        "repeats": len(runs),
        **{name: mean for name, (mean, _) in spread.items()},
        "sd": {name: sd for name, (_, sd) in spread.items()},
        **{name: figures[0][name] for name in SHARED},
        "tokens": {side: sum(f["tokens"][side] for f in figures) for side in ("in", "out")},
        "cost": sum(f["cost"] for f in figures),
        "seconds": sum(f["seconds"] for f in figures),
    }


def _question(run: Run, answer: Answer) -> dict[str, Any]:
    return {"arm": run.arm, "repeat": run.repeat_no, **answer.to_json()}
