"""One question of a run: asked, compared, judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from agent.answered import Asked, json_value
from agent.ask import ask
from agent.benchmark.answer import Answer
from agent.benchmark.comparator import Table
from agent.benchmark.gold import Gold
from agent.benchmark.golds import Golds, to_table
from agent.benchmark.judge import Judge
from agent.benchmark.metrics import COPY_FLOOR
from agent.benchmark.questions import Question
from agent.benchmark.run import Run
from agent.benchmark.scoring import Marking, Outcome, Verdicts, equal_by_default, judge_result
from agent.guard import Caller, Guard, Limits
from include.errors import TerminalError
from include.settings import Settings
from include.warehouse import Warehouse

KEPT_ROWS = 10


@dataclass(frozen=True)
class Bench:
    """What the questions of one run share.

    Attributes:
        golds: on the run's snapshot.
        variants: schema of each variant snapshot -> its golds.
    """

    run: Run
    warehouse: Warehouse
    settings: Settings
    guard: Guard
    limits: Limits
    golds: Golds
    variants: Mapping[str, Golds]
    judge: Judge | None


def run_question(question: Question, *, bench: Bench) -> Answer:
    """Ask one question and return its scored answer."""
    asked = ask(
        question.question,
        arm=bench.run.to_arm(),
        warehouse=bench.warehouse,
        settings=bench.settings,
        snapshot_id=bench.run.snapshot_id,
        interface="benchmark",
        limits=bench.limits,
        guard=bench.guard,
    )
    marking = Marking(ordered=question.ordered, extra_columns=question.extra_columns, scale=question.scale)
    verdicts = _verdicts(question, asked, marking=marking, bench=bench) if asked.outcome == "answered" else None
    judged = (
        bench.judge.mark(question, asked, verdicts=verdicts, golds=bench.golds[question.id]) if bench.judge else None
    )
    return Answer(
        question_id=question.id,
        tier=question.tier,
        outcome=_outcome(question, asked, verdicts=verdicts, bench=bench),
        sql=asked.sql,
        answer=asked.answer,
        row_count=asked.row_count if asked.outcome == "answered" else None,
        ms=asked.ms,
        query_ms=asked.query_ms,
        failure_kind=asked.error.kind if asked.error else None,
        verdicts=verdicts.to_json() if verdicts else {},
        ex=judged.ex if judged else None,
        sq=judged.sq if judged else None,
        unsupported_numbers=asked.unsupported_numbers,
        exact_copy=_exact_copy(asked),
        tokens_in=asked.tokens_in,
        tokens_out=asked.tokens_out,
        cost=asked.cost,
        error=asked.error.to_json() if asked.error else None,
        first_rows=tuple(tuple(json_value(cell) for cell in row) for row in asked.rows[:KEPT_ROWS]),
    )


def _verdicts(question: Question, asked: Asked, *, marking: Marking, bench: Bench) -> Verdicts:
    got = Table(columns=asked.columns, rows=asked.rows)
    golds = bench.golds[question.id]
    robust: bool | None = None
    if equal_by_default(got, golds, marking=marking) and not asked.truncated:
        robust = _robust(question, asked, marking=marking, bench=bench)
    elif bench.variants:
        robust = False
    return judge_result(got, golds, marking=marking, truncated=asked.truncated, robust=robust)


def _robust(question: Question, asked: Asked, *, marking: Marking, bench: Bench) -> bool | None:
    """Whether the same SQL is right on every variant; None without variants."""
    if not bench.variants:
        return None
    assert asked.sql is not None
    caller = Caller(interface="benchmark", node="variant", question=question.question)
    for schema, golds in bench.variants.items():
        try:
            result = bench.guard.execute(asked.sql, schema=schema, caller=caller, limits=bench.limits)
        except TerminalError:
            # The SQL ran on the snapshot; failing on other data is an answer that was right by accident.
            return False
        if result.truncated or not equal_by_default(to_table(result), golds[question.id], marking=marking):
            return False
    return True


def _outcome(question: Question, asked: Asked, *, verdicts: Verdicts | None, bench: Bench) -> Outcome:
    if verdicts is None:
        assert asked.outcome != "answered"
        return asked.outcome
    if verdicts.empty_gold and all(_is_empty(golds[question.id]) for golds in bench.variants.values()):
        return "undetermined"
    right = verdicts.ex_robust is not False if verdicts.empty_gold else True
    return "correct" if verdicts.ex_default and right else "wrong"


def _is_empty(golds: tuple[Gold, ...]) -> bool:
    return all(not gold.table.rows for gold in golds)


def _exact_copy(asked: Asked) -> bool | None:
    """Whether the text carries the single number of the result; None for other results (the paper's table 17)."""
    if asked.outcome != "answered" or len(asked.rows) != 1 or len(asked.rows[0]) != 1:
        return None
    value = asked.rows[0][0]
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value < COPY_FLOOR:
        return None
    whole = f"{value:,}", str(value)
    return any(text in asked.answer for text in whole)
