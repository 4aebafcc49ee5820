"""The source paper's tables for the arms of this batch, on this snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.reports.data import ArmRuns, Row

TIERS = ("easy", "medium", "hard")
MISSING = "-"


@dataclass(frozen=True)
class PaperTable:
    """A table ready to print: caption, column heads, rows of text."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def paper_tables(arms: Sequence[ArmRuns]) -> tuple[PaperTable, ...]:
    """Return the tables: figures by arm, by tier, failures by kind, relevance, spread over repeats, effort, copies."""
    return (
        _overall(arms),
        _by_tier(arms),
        _failures(arms),
        _relevance(arms),
        _spread(arms),
        _effort(arms),
        _copies(arms),
    )


def _overall(arms: Sequence[ArmRuns]) -> PaperTable:
    names = ("vsr", "em", "ex", "sq", "ex_strict", "ex_default", "ex_lenient", "ex_robust", "ex_default_nonempty")
    heads = ("VSR", "EM", "EX judged", "SQ", "EX strict", "EX default", "EX lenient", "EX robust", "EX without empty")
    rows = tuple((arm.arm, *(_cell(arm.figure(name), is_mark=name == "sq") for name in names)) for arm in arms)
    return PaperTable("Figures by arm, mean over repeats (the paper's table 11)", ("Arm", *heads), rows)


def _by_tier(arms: Sequence[ArmRuns]) -> PaperTable:
    rows = tuple(
        (arm.arm, tier, str(figures["scored"]), *(_cell(figures[name]) for name in ("vsr", "em", "ex_default")))
        for arm in arms
        for run in arm.finished[:1]
        for tier in TIERS
        if (figures := run["metrics"]["by_tier"].get(tier)) is not None
    )
    return PaperTable("By tier, first repeat", ("Arm", "Tier", "Questions", "VSR", "EM", "EX default"), rows)


def _failures(arms: Sequence[ArmRuns]) -> PaperTable:
    names = ("correct", "wrong", "no_query", "invalid", "refused", "undetermined", "infrastructure")
    rows = tuple(
        (arm.arm, str(run["repeat_no"]), *(str(run["metrics"]["outcomes"].get(name, 0)) for name in names))
        for arm in arms
        for run in arm.finished
    )
    heads = ("Right", "Wrong", "No query", "Failed when run", "Refused by the guard", "Undetermined", "Infrastructure")
    return PaperTable("Outcomes by kind", ("Arm", "Repeat", *heads), rows)


def _relevance(arms: Sequence[ArmRuns]) -> PaperTable:
    rows = tuple(
        (arm.arm, arm.runs[0]["relevance"], _cell(arm.figure("false_rejects")), _rejected(arm.answers[0]))
        for arm in arms
        if arm.finished
    )
    return PaperTable(
        "Questions turned away by relevance though all are in scope (the paper's table 14)",
        ("Arm", "Rule", "Share", "Questions"),
        rows,
    )


def _spread(arms: Sequence[ArmRuns]) -> PaperTable:
    rows = tuple(
        (arm.arm, str(len(arm.finished)), *(_sd(arm, name) for name in ("vsr", "em", "ex_default"))) for arm in arms
    )
    return PaperTable("Mean and standard deviation over repeats", ("Arm", "Repeats", "VSR", "EM", "EX default"), rows)


def _effort(arms: Sequence[ArmRuns]) -> PaperTable:
    rows = tuple(
        (
            arm.arm,
            run["model"] or "none",
            f"{run['metrics']['tokens']['in']:,}",
            f"{run['metrics']['tokens']['out']:,}",
            f"{run['metrics']['weighted_tokens']:,.0f}",
            f"{run['metrics']['cost']:.2f}",
            _milliseconds(run["metrics"]["p50_ms"]),
            _milliseconds(run["metrics"]["p95_ms"]),
            f"{run['seconds']:.0f}",
        )
        for arm in arms
        for run in arm.finished
    )
    heads = ("Model", "Tokens in", "Tokens out", "In/8 + out", "US dollars", "p50 ms", "p95 ms", "Seconds")
    return PaperTable("Effort of each run", ("Arm", *heads), rows)


def _copies(arms: Sequence[ArmRuns]) -> PaperTable:
    rows = tuple((arm.arm, _cell(arm.figure("exact_copies")), _cell(arm.figure("numbers_supported"))) for arm in arms)
    return PaperTable(
        "Numbers in answers (the paper's table 17: single numbers of at least 1,000)",
        ("Arm", "Copied exactly", "Answers whose numbers the rows all support"),
        rows,
    )


def _rejected(answers: Sequence[Row]) -> str:
    ids = [str(row["question_id"]) for row in answers if row["trace"].get("failure_kind") == "out_of_scope"]
    return ", ".join(ids) or "none"


def _sd(arm: ArmRuns, name: str) -> str:
    from statistics import stdev

    values = [run["metrics"][name] for run in arm.finished if run["metrics"][name] is not None]
    if not values:
        return MISSING
    mean = sum(values) / len(values)
    return f"{mean:.1%}" + (f" ± {100 * stdev(values):.1f}" if len(values) > 1 else " (one repeat)")


def _cell(value: float | None, *, is_mark: bool = False) -> str:
    if value is None:
        return MISSING
    return f"{value:.2f}" if is_mark else f"{value:.1%}"


def _milliseconds(value: float | None) -> str:
    return MISSING if value is None else f"{value:,.0f}"
