"""Every question of a batch, grouped by tier for reading: those that went wrong first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.benchmark import Question
from agent.reports.data import ArmRuns
from agent.reports.paper_tables import TIERS


@dataclass(frozen=True)
class QuestionRow:
    """A question and what each arm made of it; None = not asked."""

    question_id: int
    text: str
    answers: tuple[Mapping[str, Any] | None, ...]

    @property
    def all_right(self) -> bool:
        """Whether every arm answered it right."""
        return all(answer is not None and answer["outcome"] == "correct" for answer in self.answers)


@dataclass(frozen=True)
class QuestionGroup:
    """The questions of one tier."""

    tier: str
    rows: tuple[QuestionRow, ...]

    @property
    def all_right(self) -> int:
        """How many every arm answered right."""
        return sum(row.all_right for row in self.rows)


def question_groups(arms: Sequence[ArmRuns], *, questions: Mapping[int, Question]) -> list[QuestionGroup]:
    """Return the questions by tier, with the first repeat's answer of every arm; first those not all arms got right."""
    first = [{row["question_id"]: row for row in arm.answers[0]} for arm in arms]
    tiers = {question_id: row["tier"] for answers in first for question_id, row in answers.items()}
    rows = [
        QuestionRow(
            question_id,
            text=questions[question_id].question if question_id in questions else "",
            answers=tuple(answers.get(question_id) for answers in first),
        )
        for question_id in sorted(tiers)
    ]
    ordered = sorted(rows, key=lambda row: (row.all_right, row.question_id))
    groups = [QuestionGroup(tier, tuple(row for row in ordered if tiers[row.question_id] == tier)) for tier in TIERS]
    return [group for group in groups if group.rows]
