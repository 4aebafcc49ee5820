"""The typed state of one question on its way through a strategy's graph.

Values are immutable: a node returns what it adds, and `attempts` and `trace` only ever grow.
"""

import operator
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from agent.guard import QueryResult

Verdict = Literal["in_scope", "out_of_scope", "unsure"]
Outcome = Literal["answered", "no_query", "refused", "invalid", "infrastructure"]
FailureKind = Literal[
    "out_of_scope", "not_understood", "no_sql", "length", "refused", "invalid", "timeout", "budget", "infrastructure"
]
_OUTCOMES: dict[FailureKind, Outcome] = {
    "out_of_scope": "no_query",
    "not_understood": "no_query",
    "no_sql": "no_query",
    "length": "no_query",
    "budget": "no_query",
    "refused": "refused",
    "invalid": "invalid",
    "timeout": "invalid",
    "infrastructure": "infrastructure",
}


@dataclass(frozen=True)
class RelevanceVerdict:
    """What a relevance rule says about a question, and why; the word columns belong to the rule `paper`."""

    rule: str
    verdict: Verdict
    reason: str
    action_phrases: tuple[str, ...] = ()
    data_words: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the verdict as JSON values."""
        return {
            "rule": self.rule,
            "verdict": self.verdict,
            "reason": self.reason,
            "action_phrases": list(self.action_phrases),
            "data_words": list(self.data_words),
        }


@dataclass(frozen=True)
class Failure:
    """Why a node could not do its work, as it was met: never reworded into something vaguer."""

    node: str
    kind: FailureKind
    message: str
    sqlstate: str | None = None
    hint: str | None = None
    rule: str | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome of a question that ends with this failure."""
        return _OUTCOMES[self.kind]

    def to_json(self) -> dict[str, object]:
        """Return the failure as JSON values."""
        return {
            "node": self.node,
            "kind": self.kind,
            "message": self.message,
            "sqlstate": self.sqlstate,
            "hint": self.hint,
            "rule": self.rule,
        }


@dataclass(frozen=True)
class Draft:
    """What the model (or the parser) wrote: the SQL found in it, if any, and why it stopped writing."""

    sql: str | None
    text: str
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Attempt:
    """One SQL text that was tried, and how it failed; no failure = it passed."""

    number: int
    sql: str | None
    failure: Failure | None = None

    def to_json(self) -> dict[str, object]:
        """Return the attempt as JSON values."""
        error = None if self.failure is None else self.failure.to_json()
        return {"number": self.number, "sql": self.sql, "error": error}


@dataclass(frozen=True)
class AnswerTexts:
    """Both texts of an answer, whichever was shown; the model's is None when no model wrote one."""

    model: str | None
    deterministic: str


@dataclass(frozen=True)
class Step:
    """One node that ran: how long, and what it said about itself."""

    node: str
    ms: float
    note: str = ""

    def __str__(self) -> str:
        return f"{self.node} ({self.ms:.0f} ms)" + (f": {self.note}" if self.note else "")


class State(TypedDict, total=False):
    """What is known about one question so far."""

    question: str
    relevance: RelevanceVerdict
    schema: str
    draft: Draft
    understood: str
    ignored: tuple[str, ...]
    attempts: Annotated[tuple[Attempt, ...], operator.add]
    result: QueryResult
    answer: str
    answer_texts: AnswerTexts
    unsupported_numbers: tuple[str, ...]
    failure: Failure | None
    trace: Annotated[tuple[Step, ...], operator.add]
