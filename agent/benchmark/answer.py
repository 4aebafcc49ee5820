"""One scored answer of a benchmark run."""

from dataclasses import dataclass, field
from typing import Any

from agent.benchmark.scoring import Outcome


@dataclass(frozen=True)
class Answer:
    """What one arm made of one question in one repeat.

    Attributes:
        outcome: by the default reading.
        failure_kind: why there is no result, as the agent's failure names it; None when there is one.
        verdicts: `Verdicts.to_json()`, empty without a result.
        ex: EM, or judged equivalent; None without a judge.
        sq: the judge's mark from 1 to 5; None without a judge.
        exact_copy: for single-number results of at least 1,000, whether the text carries that number exactly.
        ms: wall clock in milliseconds, model and database included.
        cost: US dollars.
    """

    question_id: int
    tier: str
    outcome: Outcome
    sql: str | None
    answer: str
    row_count: int | None
    ms: float | None
    query_ms: float | None = None
    failure_kind: str | None = None
    verdicts: dict[str, bool | None] = field(default_factory=dict)
    ex: bool | None = None
    sq: int | None = None
    unsupported_numbers: tuple[str, ...] = ()
    exact_copy: bool | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    error: dict[str, Any] | None = None
    first_rows: tuple[tuple[object, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the row of `crime bench --json`."""
        return {
            "id": self.question_id,
            "outcome": self.outcome,
            "sql": self.sql,
            "ms": self.ms,
            "error": self.error,
            **self.verdicts,
        }
