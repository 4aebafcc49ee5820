"""Gold results of a question set on a snapshot: computed once through the guard, stored, and read back for scoring."""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from agent.benchmark.comparator import Table
from agent.benchmark.gold import Gold, make_gold
from agent.benchmark.questions import Question, QuestionSet
from agent.benchmark.store import load_golds, save_gold
from agent.benchmark.ties import read_ordering
from agent.guard import Caller, Guard, Limits, QueryResult
from include.errors import TerminalError
from include.settings import Settings
from include.warehouse import Snapshot, Warehouse

logger = logging.getLogger(__name__)

Golds = Mapping[int, tuple[Gold, ...]]


class GoldFailedError(TerminalError):
    """A gold could not be run, or its result was cut."""


@dataclass(frozen=True)
class _Pending:
    question: Question
    gold_no: int
    sql: str


def ensure_golds(
    warehouse: Warehouse, questions: QuestionSet, *, snapshot: Snapshot, guard: Guard, settings: Settings
) -> Golds:
    """Return the golds of every question on the snapshot, computing and storing those that lack.

    Raises:
        GoldFailedError: a gold failed or returned more rows than the benchmark's limit.
    """
    with warehouse.owner() as conn:
        stored = load_golds(conn, snapshot.snapshot_id, questions.content_hash)
    pending = [
        _Pending(question, gold_no, sql)
        for question in questions.questions
        for gold_no, sql in enumerate(question.gold)
        if gold_no not in stored.get(question.id, {})
    ]
    if pending:
        logger.info("computing %d gold results on %s", len(pending), snapshot.snapshot_id)
        run = _runner(guard, snapshot.snapshot_id, Limits.for_bench(settings))
        with ThreadPoolExecutor(settings.bench_parallel) as pool:
            results = list(pool.map(run, pending))
        _save(warehouse, results, snapshot_id=snapshot.snapshot_id, question_set=questions.content_hash)
        for item, tables, _ in results:
            stored.setdefault(item.question.id, {})[item.gold_no] = tables
    return {question.id: _golds_of(question, stored[question.id]) for question in questions.questions}


def _golds_of(question: Question, tables: Mapping[int, Mapping[str, Table]]) -> tuple[Gold, ...]:
    return tuple(
        make_gold(
            tables[gold_no]["result"],
            ahead=tables[gold_no].get("ahead"),
            tie_column=read_ordering(sql).tie_column,
            extra_columns=question.extra_columns,
        )
        for gold_no, sql in enumerate(question.gold)
    )


def _runner(
    guard: Guard, schema: str, limits: Limits
) -> Callable[[_Pending], tuple[_Pending, dict[str, Table], float]]:
    def run(item: _Pending) -> tuple[_Pending, dict[str, Table], float]:
        result = _execute(item.sql, item, guard=guard, schema=schema, limits=limits)
        tables = {"result": to_table(result)}
        ahead = read_ordering(item.sql).look_ahead_sql
        if ahead is not None:
            tables["ahead"] = to_table(_execute(ahead, item, guard=guard, schema=schema, limits=limits))
        return item, tables, result.ms

    return run


def _execute(sql: str, item: _Pending, *, guard: Guard, schema: str, limits: Limits) -> QueryResult:
    caller = Caller(interface="benchmark", node="gold", question=item.question.question)
    try:
        result = guard.execute(sql, schema=schema, caller=caller, limits=limits)
    except TerminalError as error:
        raise GoldFailedError(
            f"gold {item.gold_no} of question {item.question.id} failed on {schema}: {error}",
            action="mend the gold in the question file",
        ) from error
    if result.truncated:
        raise GoldFailedError(
            f"gold {item.gold_no} of question {item.question.id} returns more than {limits.max_rows:,} rows",
            expected="a result an answer can be compared with",
            action="narrow the question, or raise CRIME_BENCH_MAX_ROWS",
        )
    return result


def to_table(result: QueryResult) -> Table:
    """Return a query's result as the comparator's table."""
    return Table(columns=result.columns, rows=result.rows)


def _save(
    warehouse: Warehouse,
    results: Iterable[tuple[_Pending, dict[str, Table], float]],
    *,
    snapshot_id: str,
    question_set: str,
) -> None:
    with warehouse.owner() as conn:
        for item, tables, ms in results:
            save_gold(
                conn,
                snapshot_id=snapshot_id,
                question_set=question_set,
                question_id=item.question.id,
                gold_no=item.gold_no,
                tables=tables,
                ms=ms,
            )
