"""What moved since the run before: regressions, fixes, flaky questions, and whether the move is more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.benchmark import mcnemar_exact
from agent.reports.data import ArmRuns

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """One question whose outcome differs: before and after, with both SQL texts."""

    question_id: int
    before: Row
    after: Row


@dataclass(frozen=True)
class Changes:
    """The comparison of an arm's first finished repeat with the run before it.

    Attributes:
        p_value: exact two-sided McNemar test; None without a run before.
        flaky: questions the repeats of this batch disagree on.
    """

    regressions: tuple[Change, ...]
    fixed: tuple[Change, ...]
    flaky: tuple[int, ...]
    p_value: float | None


def compare_arm(arm: ArmRuns) -> Changes:
    """Return what moved in an arm; infrastructure outcomes on either side are left out."""
    now = next((a for run, a in zip(arm.runs, arm.answers, strict=True) if run["status"] == "finished"), ())
    before = {row["question_id"]: row for row in arm.baseline_answers}
    pairs = [
        Change(row["question_id"], before[row["question_id"]], row)
        for row in now
        if row["question_id"] in before and _comparable(row) and _comparable(before[row["question_id"]])
    ]
    lost = tuple(pair for pair in pairs if _right(pair.before) and not _right(pair.after))
    gained = tuple(pair for pair in pairs if not _right(pair.before) and _right(pair.after))
    return Changes(
        regressions=lost,
        fixed=gained,
        flaky=_flaky(arm),
        p_value=mcnemar_exact(lost=len(lost), gained=len(gained)) if arm.baseline else None,
    )


def _flaky(arm: ArmRuns) -> tuple[int, ...]:
    outcomes: dict[int, set[bool]] = {}
    for answers in arm.answers:
        for row in answers:
            if _comparable(row):
                outcomes.setdefault(row["question_id"], set()).add(_right(row))
    return tuple(sorted(question_id for question_id, seen in outcomes.items() if len(seen) > 1))


def _comparable(row: Row) -> bool:
    return row["outcome"] not in ("infrastructure", "undetermined")


def _right(row: Row) -> bool:
    return bool(row["outcome"] == "correct")
