"""Quality: the hard gates and the record of their verdicts."""

from include.quality.facts import RunFacts, SnapshotFacts, read_snapshot_facts
from include.quality.gates import HELD_BY, GateLimits, evaluate_gates, source_moved
from include.quality.results import QualityResult, describe_snapshot, store_results
from include.quality.suite import plan_suite, run_suite

__all__ = [
    "HELD_BY",
    "GateLimits",
    "QualityResult",
    "RunFacts",
    "SnapshotFacts",
    "describe_snapshot",
    "evaluate_gates",
    "plan_suite",
    "read_snapshot_facts",
    "run_suite",
    "source_moved",
    "store_results",
]
