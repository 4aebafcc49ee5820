"""Runs, answers and gold results in `ops`: written here and nowhere else."""

import json
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from agent.benchmark.answer import Answer
from agent.benchmark.codec import decode_table, encode_table, table_digest
from agent.benchmark.comparator import Table
from agent.benchmark.run import Run
from include.warehouse import Warehouse, load_sql


def start_run(warehouse: Warehouse, run: Run) -> None:
    """Record the run as running; one that was cut short starts again under its id."""
    with warehouse.owner() as conn:
        conn.execute(load_sql("benchmark/insert_run.sql"), run.to_json())


def finish_run(warehouse: Warehouse, bench_id: str, *, metrics: dict[str, Any] | None, error: str | None) -> None:
    """Close the run's record: finished with its figures, or failed with the error."""
    with warehouse.owner() as conn:
        conn.execute(
            "UPDATE ops.benchmark_run SET status = %s, finished_at = clock_timestamp(), metrics = %s, error = %s"
            " WHERE bench_id = %s",
            ("failed" if error else "finished", _json(metrics), _json({"message": error} if error else None), bench_id),
        )


def save_answers(warehouse: Warehouse, bench_id: str, answers: Sequence[Answer]) -> None:
    """Record answers of a run; an answer recorded before is replaced."""
    with warehouse.owner() as conn, conn.cursor() as cursor:
        cursor.executemany(load_sql("benchmark/insert_answer.sql"), [_answer_row(bench_id, a) for a in answers])


def finished_questions(warehouse: Warehouse, bench_id: str) -> frozenset[int]:
    """Return the questions of a run that were answered before it was cut short, infrastructure faults apart."""
    with warehouse.owner() as conn:
        rows = conn.execute(
            "SELECT question_id FROM ops.benchmark_answer WHERE bench_id = %s AND outcome <> 'infrastructure'",
            (bench_id,),
        ).fetchall()
    return frozenset(row[0] for row in rows)


def load_answers(warehouse: Warehouse, bench_id: str) -> tuple[Answer, ...]:
    """Return the recorded answers of a run by question id."""
    with warehouse.owner() as conn, conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(
            "SELECT * FROM ops.benchmark_answer WHERE bench_id = %s ORDER BY question_id", (bench_id,)
        ).fetchall()
    return tuple(_answer(row) for row in rows)


def load_golds(conn: psycopg.Connection, snapshot_id: str, question_set: str) -> dict[int, dict[int, dict[str, Table]]]:
    """Return the stored gold results of a snapshot: question id -> number of the gold -> result and look-ahead."""
    rows = conn.execute(
        "SELECT question_id, gold_no, result FROM ops.gold_result WHERE snapshot_id = %s AND question_set = %s",
        (snapshot_id, question_set),
    ).fetchall()
    golds: dict[int, dict[int, dict[str, Table]]] = {}
    for question_id, gold_no, result in rows:
        golds.setdefault(question_id, {})[gold_no] = {name: decode_table(table) for name, table in result.items()}
    return golds


def save_gold(
    conn: psycopg.Connection,
    *,
    snapshot_id: str,
    question_set: str,
    question_id: int,
    gold_no: int,
    tables: dict[str, Table],
    ms: float,
) -> None:
    """Record one gold result: `result`, and `ahead` where its LIMIT may cut through ties."""
    conn.execute(
        load_sql("benchmark/insert_gold.sql"),
        {
            "snapshot_id": snapshot_id,
            "question_set": question_set,
            "question_id": question_id,
            "gold_no": gold_no,
            "row_count": len(tables["result"].rows),
            "digest": table_digest(tables["result"]),
            "result": _json({name: encode_table(table) for name, table in tables.items()}),
            "ms": ms,
        },
    )


def _answer_row(bench_id: str, answer: Answer) -> dict[str, Any]:
    trace = {
        "failure_kind": answer.failure_kind,
        "query_ms": answer.query_ms,
        "ex": answer.ex,
        "sq": answer.sq,
        "unsupported_numbers": list(answer.unsupported_numbers),
        "exact_copy": answer.exact_copy,
        "first_rows": [list(row) for row in answer.first_rows],
    }
    return {
        "bench_id": bench_id,
        "question_id": answer.question_id,
        "tier": answer.tier,
        "outcome": answer.outcome,
        "sql": answer.sql,
        "answer": answer.answer,
        "row_count": answer.row_count,
        "ms": answer.ms,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "cost": answer.cost,
        "verdicts": _json(answer.verdicts),
        "trace": _json(trace),
        "error": _json(answer.error),
    }


def _answer(row: dict[str, Any]) -> Answer:
    trace = row["trace"]
    return Answer(
        question_id=row["question_id"],
        tier=row["tier"],
        outcome=row["outcome"],
        sql=row["sql"],
        answer=row["answer"] or "",
        row_count=row["row_count"],
        ms=row["ms"],
        query_ms=trace["query_ms"],
        failure_kind=trace["failure_kind"],
        verdicts=row["verdicts"],
        ex=trace["ex"],
        sq=trace["sq"],
        unsupported_numbers=tuple(trace["unsupported_numbers"]),
        exact_copy=trace["exact_copy"],
        tokens_in=row["tokens_in"],
        tokens_out=row["tokens_out"],
        cost=row["cost"],
        error=row["error"],
        first_rows=tuple(tuple(cells) for cells in trace["first_rows"]),
    )


def _json(value: object) -> Jsonb | None:
    return None if value is None else Jsonb(value, dumps=lambda item: json.dumps(item, default=str))
