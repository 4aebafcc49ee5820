"""A history of benchmark runs in `ops`, written as the runner writes it."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from agent.benchmark.answer import Answer
from agent.benchmark.metrics import arm_metrics
from agent.benchmark.run import Run
from agent.benchmark.store import finish_run, save_answers, start_run
from include.settings import Settings
from include.warehouse import Warehouse

SNAPSHOT = "snap_20260101t000000"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
QUESTION_SET = "f" * 64

Write = Callable[..., str]


def answer(question_id: int, outcome: str, **fields: Any) -> Answer:
    """An answer as the runner stores it."""
    right = outcome == "correct"
    ran = outcome in ("correct", "wrong", "undetermined")
    verdicts = {name: right for name in ("em", "json_match", "ex_strict", "ex_default", "ex_lenient", "ex_robust")}
    made = {
        "tier": "easy" if question_id <= 30 else "medium" if question_id <= 70 else "hard",
        "sql": f"SELECT {question_id}" if ran else None,
        "answer": f"The answer to {question_id}.",
        "row_count": 1 if ran else None,
        "ms": 10.0 * question_id,
        "verdicts": verdicts | {"empty_gold": False} if ran else {},
        "failure_kind": None if ran else "no_sql",
        "error": None if ran else {"node": "generate", "message": "no SQL came"},
        "first_rows": ((question_id,),) if ran else (),
    }
    return Answer(question_id=question_id, outcome=outcome, **(made | fields))  # type: ignore[arg-type]


@pytest.fixture
def store(new_warehouse: Warehouse) -> Warehouse:
    """A warehouse with one published snapshot on record, its ingestion, ledger and diff."""
    with new_warehouse.owner() as conn:
        conn.execute("INSERT INTO ops.source (kind, identity) VALUES ('generator', 'generator:seed=7,rows=10')")
        conn.execute(
            "INSERT INTO ops.ingest_run (run_id, source_id, mode, status, rows_received, inserted, updated, restamped,"
            " deleted, rejected, warnings) SELECT 'run_1', source_id, 'incremental', 'published', 12345, 1201, 302, 77,"
            " 14, 5, %s FROM ops.source",
            (Jsonb(["the newest incident is <b>old</b>"]),),
        )
        conn.execute(
            "INSERT INTO ops.snapshot (snapshot_id, state, run_id, predecessor_id, row_count, newest_incident,"
            " fingerprint, published_at) VALUES (%s, 'published', 'run_1', 'snap_old', 98765, '2026-11-28 10:00',"
            " 'print', now())",
            (SNAPSHOT,),
        )
        conn.execute(
            "INSERT INTO ops.null_rule_ledger VALUES (%(s)s, 'LATITUDE', 'block donor', 4321),"
            " (%(s)s, 'WARD', 'none', 0)",
            {"s": SNAPSHOT},
        )
        conn.execute("INSERT INTO ops.snapshot_diff VALUES (%s, 'snap_old', 'total', '', 1201, 302, 14)", (SNAPSHOT,))
    return new_warehouse


@pytest.fixture
def write_run(store: Warehouse) -> Write:
    """Return a function that writes one run with its answers and returns its id."""

    def write(
        batch: str,
        answers: Sequence[Answer],
        *,
        weeks_ago: float = 0,
        arm: str = "semantic",
        repeat: int = 1,
        error: str | None = None,
        judge: str | None = None,
        snapshot_id: str = SNAPSHOT,
    ) -> str:
        run = Run(
            bench_id=f"{batch}/{arm}/{repeat}",
            batch_id=batch,
            snapshot_id=snapshot_id,
            fingerprint="print",
            question_set=QUESTION_SET,
            questions_path="",
            arm=arm,
            strategy=arm.split("/")[0],
            stage=None,
            relevance="vocabulary",
            answers="verified",
            model=None,
            judge=judge,
            repeat_no=repeat,
            git_sha="c" * 40,
        )
        start_run(store, run)
        save_answers(store, run.bench_id, answers)
        finish_run(store, run.bench_id, metrics=None if error else arm_metrics(answers), error=error)
        begun = NOW - timedelta(weeks=weeks_ago)
        with store.owner() as conn:
            conn.execute(
                "UPDATE ops.benchmark_run SET started_at = %s, finished_at = %s WHERE bench_id = %s",
                (begun, begun + timedelta(seconds=42), run.bench_id),
            )
        return run.bench_id

    return write


@pytest.fixture
def settings(tmp_path: Any) -> Settings:
    return Settings.model_validate({"home": tmp_path, "smtp_url": None, "webhook_url": None, "mail_to": ""})


def ops(store: Warehouse, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Rows of a query on the warehouse."""
    with store.owner() as conn:
        return conn.execute(sql, values).fetchall()


def read_json(path: str) -> Any:
    """The document of a file."""
    from pathlib import Path

    return json.loads(Path(path).read_text())
