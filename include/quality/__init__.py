"""Quality: the hard gates, the suite, what differs from the snapshot before, and the record of all that."""

from include.quality.diff import compare_snapshots, read_diff, run_diff
from include.quality.diff_result import DiffCounts, SnapshotDiff
from include.quality.facts import RunFacts, SnapshotFacts, read_snapshot_facts
from include.quality.gates import HELD_BY, GateLimits, evaluate_gates, source_moved
from include.quality.results import QualityResult, describe_snapshot, store_results
from include.quality.suite import plan_suite, run_suite

__all__ = [
    "HELD_BY",
    "DiffCounts",
    "GateLimits",
    "QualityResult",
    "RunFacts",
    "SnapshotDiff",
    "SnapshotFacts",
    "compare_snapshots",
    "describe_snapshot",
    "evaluate_gates",
    "plan_suite",
    "read_diff",
    "read_snapshot_facts",
    "run_diff",
    "run_suite",
    "source_moved",
    "store_results",
]
