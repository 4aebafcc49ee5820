"""What one question came to."""

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Self

from agent.arms import Arm
from agent.llm import Model
from agent.meter import Meter
from agent.nodes import failure_text
from agent.state import AnswerTexts, Attempt, Failure, Outcome, RelevanceVerdict, State, Step


@dataclass(frozen=True)
class Asked:
    """Answer, SQL, rows and provenance of one question.

    Attributes:
        outcome: `answered`; `no_query` (turned away by relevance, not understood, or no SQL written), `refused` (by
            the guard), `invalid` (failed in the database), `infrastructure` (provider or database fault).
        answer: the text to show, also when there is no result: then it says what failed.
        understood: what a strategy without a model understood, in words.
        ms: wall clock in milliseconds, model and database included.
        cost: US dollars; models without a known price count as 0.
    """

    question: str
    relevance: RelevanceVerdict | None
    outcome: Outcome
    answer: str
    understood: str | None
    ignored: tuple[str, ...]
    sql: str | None
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    row_count: int
    truncated: bool
    snapshot_id: str
    strategy: str
    stage: int | str | None
    model: str | None
    attempts: tuple[Attempt, ...]
    unsupported_numbers: tuple[str, ...]
    ms: float
    query_ms: float | None
    tokens_in: int
    tokens_out: int
    cost: float
    error: Failure | None
    answer_texts: AnswerTexts | None
    trace: tuple[Step, ...]

    @classmethod
    def from_state(cls, state: State, *, arm: Arm, snapshot_id: str, model: Model | None, meter: Meter) -> Self:
        """Read the outcome off the last state of a graph."""
        result = state.get("result")
        failure = state.get("failure")
        attempts = state.get("attempts", ())
        answered = result is not None and "answer" in state
        if failure is None and not answered:
            raise AssertionError(f"strategy {arm.strategy} ended without an answer or a failure")
        return cls(
            question=state["question"],
            relevance=state.get("relevance"),
            outcome="answered" if failure is None else failure.outcome,
            answer=state["answer"] if failure is None else failure_text(failure, attempts=attempts),
            understood=state.get("understood"),
            ignored=state.get("ignored", ()),
            sql=_last_sql(state),
            columns=() if result is None else result.columns,
            types=() if result is None else result.types,
            rows=() if result is None else result.rows,
            row_count=0 if result is None else result.row_count,
            truncated=False if result is None else result.truncated,
            snapshot_id=snapshot_id,
            strategy=arm.strategy,
            stage=arm.stage,
            model=None if model is None else model.name,
            attempts=attempts,
            unsupported_numbers=state.get("unsupported_numbers", ()),
            ms=meter.seconds * 1000,
            query_ms=None if result is None else result.ms,
            tokens_in=meter.tokens_in,
            tokens_out=meter.tokens_out,
            cost=meter.cost,
            error=failure,
            answer_texts=state.get("answer_texts"),
            trace=state.get("trace", ()),
        )

    def to_json(self) -> dict[str, object]:
        """Return the document of `crime ask --json`: JSON values only."""
        return {
            "question": self.question,
            "relevance": None if self.relevance is None else self.relevance.to_json(),
            "outcome": self.outcome,
            "answer": self.answer,
            "understood": self.understood,
            "sql": self.sql,
            "columns": list(self.columns),
            "rows": [[json_value(cell) for cell in row] for row in self.rows],
            "row_count": self.row_count,
            "truncated": self.truncated,
            "snapshot_id": self.snapshot_id,
            "strategy": self.strategy,
            "stage": self.stage,
            "model": self.model,
            "attempts": [attempt.to_json() for attempt in self.attempts],
            "unsupported_numbers": list(self.unsupported_numbers),
            "ms": round(self.ms, 1),
            "tokens": {"in": self.tokens_in, "out": self.tokens_out},
            "cost": self.cost,
            "error": None if self.error is None else self.error.to_json(),
        }


def json_value(cell: object) -> object:
    """Return a cell as a JSON value: whole decimals as integers, others as floats, dates as ISO 8601 text."""
    if cell is None or isinstance(cell, bool | int | str):
        return cell
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() and cell.is_finite() else _finite(float(cell))
    if isinstance(cell, float):
        return _finite(cell)
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, list | tuple):
        return [json_value(item) for item in cell]
    return str(cell)


def _finite(value: float) -> float | str:
    return value if value - value == 0 else str(value)


def _last_sql(state: State) -> str | None:
    result = state.get("result")
    draft = state.get("draft")
    if draft is not None and (result is not None or draft.sql is not None):
        return draft.sql
    return next((attempt.sql for attempt in reversed(state.get("attempts", ())) if attempt.sql is not None), None)
