"""The figures of one arm and repeat, from its answers: rates from 0 to 1, by tier, with failures split by kind.

Infrastructure outcomes leave the denominators: they are a third outcome, never a wrong answer. Undetermined ones
(a gold that is empty on the snapshot and on every variant) leave those of EX and EM.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from agent.benchmark.answer import Answer
from agent.benchmark.statistics import percentile, wilson_interval

EXECUTED = ("correct", "wrong", "undetermined")
COPY_FLOOR = 1_000


def arm_metrics(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the figures of design section 7 over the scored answers, overall and by tier."""
    tiers = sorted({answer.tier for answer in answers}, key=("easy", "medium", "hard").index)
    figures = _rates(answers)
    figures["by_tier"] = {tier: _rates([answer for answer in answers if answer.tier == tier]) for tier in tiers}
    figures["failures"] = dict(Counter(answer.failure_kind for answer in answers if answer.failure_kind))
    return figures


def _rates(answers: Sequence[Answer]) -> dict[str, Any]:
    counted = [answer for answer in answers if answer.outcome != "infrastructure"]
    determined = [answer for answer in counted if answer.outcome != "undetermined"]
    full = [answer for answer in determined if not answer.verdicts.get("empty_gold")]
    copies = [answer.exact_copy for answer in counted if answer.exact_copy is not None]
    narrated = [answer for answer in counted if answer.outcome in EXECUTED]
    times = [answer.ms for answer in counted if answer.ms is not None]
    correct = sum(answer.outcome == "correct" for answer in determined)
    interval = wilson_interval(correct, of=len(determined))
    judged = [answer for answer in counted if answer.sq is not None]
    return {
        "scored": len(answers),
        "outcomes": dict(Counter(answer.outcome for answer in answers)),
        "vsr": _share(counted, lambda answer: answer.outcome in EXECUTED),
        "em": _share(determined, _verdict("em")),
        "ex": _share(determined, lambda answer: bool(answer.ex)) if judged else None,
        "json_match": _share(determined, _verdict("json_match")),
        "ex_strict": _share(determined, _verdict("ex_strict")),
        "ex_default": _share(determined, _verdict("ex_default")),
        "ex_lenient": _share(determined, _verdict("ex_lenient")),
        "ex_robust": _share(determined, _verdict("ex_robust")),
        "ex_default_nonempty": _share(full, _verdict("ex_default")),
        "sq": sum(answer.sq or 0 for answer in judged) / len(judged) if judged else None,
        "numbers_supported": _share(narrated, lambda answer: not answer.unsupported_numbers),
        "exact_copies": sum(copies) / len(copies) if copies else None,
        "false_rejects": _share(counted, lambda answer: answer.failure_kind == "out_of_scope"),
        "intervals": {"ex_default": asdict(interval) if interval else None},
        "tokens": {"in": sum(a.tokens_in for a in answers), "out": sum(a.tokens_out for a in answers)},
        "weighted_tokens": sum(a.tokens_in / 8 + a.tokens_out for a in answers),
        "cost": sum(a.cost for a in answers),
        "p50_ms": percentile(times, 0.5),
        "p95_ms": percentile(times, 0.95),
    }


def _share(answers: Sequence[Answer], holds: Callable[[Answer], bool]) -> float | None:
    return sum(map(holds, answers)) / len(answers) if answers else None


def _verdict(name: str) -> Callable[[Answer], bool]:
    return lambda answer: bool(answer.verdicts.get(name))
