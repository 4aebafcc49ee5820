"""The paper's judges behind the provider interface: is a differing result equivalent (EX), how good is the answer (SQ).

Without a judge both figures stay empty and the deterministic readings stand alone. SQ: table 9's rubric, 1 to 5, judged
on question, SQL, row count and the first 200 rows; a question without a query scores 1.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.answered import Asked, json_value
from agent.benchmark.gold import Gold
from agent.benchmark.questions import Question
from agent.benchmark.scoring import Verdicts
from agent.llm import Model, ModelError, open_model
from agent.prompts import load_prompt
from include.settings import Settings

JUDGED_ROWS = 200
MAX_TOKENS = 300
PATIENCE = 120.0


@dataclass(frozen=True)
class Judged:
    """A judge's marks: None where the judge could not be reached or read, which is unknown and not wrong."""

    ex: bool | None
    sq: int | None


@dataclass(frozen=True)
class Judge:
    """A model with the two judge prompts."""

    model: Model

    @property
    def name(self) -> str:
        """The model and the digest of the prompts: what pins a score."""
        text = load_prompt("judge_ex.md") + load_prompt("judge_sq.md")
        return f"{self.model.name}@{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def mark(self, question: Question, asked: Asked, *, verdicts: Verdicts | None, golds: Sequence[Gold]) -> Judged:
        """Return the marks of one answer; EM needs no judging, and without a query SQ is 1."""
        if verdicts is None:
            return Judged(ex=False, sq=1) if asked.outcome != "infrastructure" else Judged(ex=None, sq=None)
        ex = True if verdicts.em else self._equivalent(question, asked, golds=golds)
        return Judged(ex=ex, sq=self._quality(question, asked))

    def _equivalent(self, question: Question, asked: Asked, *, golds: Sequence[Gold]) -> bool | None:
        document = {
            "question": question.question,
            "accepted": [_table(gold.table.columns, gold.table.rows) for gold in golds],
            "got": _table(asked.columns, asked.rows),
        }
        reply = self._ask("judge_ex.md", document)
        return None if reply is None else _read_word(reply, words={"EQUIVALENT": True, "DIFFERENT": False})

    def _quality(self, question: Question, asked: Asked) -> int | None:
        document = {
            "question": question.question,
            "sql": asked.sql,
            "row_count": asked.row_count,
            "rows": _table(asked.columns, asked.rows),
            "answer": asked.answer,
        }
        reply = self._ask("judge_sq.md", document)
        return None if reply is None else _read_score(reply)

    def _ask(self, prompt: str, document: Mapping[str, object]) -> str | None:
        data = json.dumps(document, ensure_ascii=False)
        try:
            reply = self.model.complete(
                load_prompt(prompt), user=data, max_tokens=MAX_TOKENS, temperature=0.0, patience=PATIENCE
            )
        except ModelError:
            # An unreachable judge leaves the mark unknown; the outcome of the answer does not depend on it.
            return None
        return reply.text


def open_judge(settings: Settings) -> Judge | None:
    """Return the judge of the settings; None when none is configured.

    Raises:
        UsageError: the judge's provider or key is missing.
    """
    if settings.judge_model is None:
        return None
    return Judge(open_model(settings.judge_model, settings=settings))


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, object]:
    return {
        "columns": list(columns),
        "rows": [[json_value(cell) for cell in row] for row in rows[:JUDGED_ROWS]],
        "row_count": len(rows),
    }


def _read_word(reply: str, *, words: dict[str, bool]) -> bool | None:
    found = re.findall(r"\b(" + "|".join(words) + r")\b", reply.upper())
    return words[found[-1]] if found else None


def _read_score(reply: str) -> int | None:
    found = re.findall(r"\bSCORE\s*[:=]\s*([1-5])\b", reply.upper())
    return int(found[-1]) if found else None
