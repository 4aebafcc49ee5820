"""The report's first line and its tiles."""

from dataclasses import dataclass

from agent.benchmark import wilson_interval
from agent.reports.changes import Changes
from agent.reports.data import ArmRuns, ReportData

GOALS = {"vsr": 0.95, "em": None, "ex": 0.85, "sq": 4.0}
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Tile:
    """One figure with its goal and the figure of the run before; None = not measured."""

    label: str
    value: float | None
    goal: float | None
    before: float | None
    is_share: bool
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal or a value."""
        return None if self.value is None or self.goal is None else self.value >= self.goal


def verdict_line(data: ReportData, changes: Changes | None) -> str:
    """Return the one sentence that tells a reader in a hurry what to know."""
    snapshot = data.snapshot
    if snapshot is None:
        return "No snapshot is published and no benchmark ran: there is nothing to report yet."
    head = f"Snapshot {snapshot['snapshot_id']} ({snapshot['row_count']:,} rows) is {snapshot['state']}"
    arm = data.headline
    if data.batch is None:
        return f"{head}; no benchmark has run on it."
    if arm is None:
        return f"{head}; the benchmark ran, but no arm finished."
    return f"{head}; {_figure(arm)}, {_movement(arm, changes)}."


def tiles(arm: ArmRuns) -> tuple[Tile, ...]:
    """Return the tiles VSR, EM, EX and SQ; without a judge EX is the default reading and SQ is not measured."""
    judged = arm.figure("ex") is not None
    ex = "ex" if judged else "ex_default"
    note = "EM or judged equivalent" if judged else "deterministic, default reading: no judge is configured"
    return (
        _tile(arm, "VSR", "vsr", goal=GOALS["vsr"], note="queries that ran"),
        _tile(arm, "EM", "em", goal=GOALS["em"], note="exact match"),
        _tile(arm, "EX", ex, goal=GOALS["ex"], note=note),
        _tile(arm, "SQ", "sq", goal=GOALS["sq"], note="1 to 5" if judged else "not measured: no judge is configured"),
    )


def _tile(arm: ArmRuns, label: str, name: str, *, goal: float | None, note: str) -> Tile:
    before = arm.baseline["metrics"].get(name) if arm.baseline else None
    return Tile(label, arm.figure(name), goal, before, is_share=name != "sq", note=note)


def _figure(arm: ArmRuns) -> str:
    run = arm.finished[0]
    outcomes = run["metrics"]["outcomes"]
    of = sum(count for outcome, count in outcomes.items() if outcome not in ("infrastructure", "undetermined"))
    correct = outcomes.get("correct", 0)
    interval = wilson_interval(correct, of=of)
    if interval is None:
        return f"{arm.arm} answered no question that could be scored"
    return f"{arm.arm} answered {correct} of {of} right: {correct / of:.1%} [{interval.low:.1%} to {interval.high:.1%}]"


def _movement(arm: ArmRuns, changes: Changes | None) -> str:
    if arm.baseline is None or changes is None or changes.p_value is None:
        return "with no run before it to compare with"
    lost, gained = len(changes.regressions), len(changes.fixed)
    if not lost and not gained:
        return "no question changed since the run before"
    chance = "more than chance" if changes.p_value < SIGNIFICANT else "no more than chance"
    return f"{gained} gained and {lost} lost since the run before ({chance}, exact McNemar p = {changes.p_value:.2f})"
