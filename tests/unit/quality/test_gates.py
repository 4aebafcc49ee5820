from dataclasses import replace
from datetime import datetime

import pytest

from include.quality import GateLimits, RunFacts, SnapshotFacts, evaluate_gates, source_moved

NOW = datetime(2024, 3, 20)
HOURS = dict.fromkeys(range(7, 24), 700) | dict.fromkeys([0, 1, 2, 3], 400) | {4: 100, 5: 90, 6: 150}
FACTS = SnapshotFacts(
    row_count=13_840,
    duplicate_ids=0,
    unfilled={"CRIME_TYPE": 0, "coordinates": 0},
    newest_incident=datetime(2024, 3, 12),
    hours=HOURS,
    unresolved={"WARD": 0},
)
YEARS = {"2023": 9_000, "2024": 4_840}
RUN = RunFacts(
    rows_received=100,
    rows_landed=100,
    distinct_ids=100,
    inserted=40,
    updated=30,
    restamped=20,
    unchanged=9,
    rejected=1,
    raw_rows=13_840,
    raw_by_year=YEARS,
    source_before=YEARS,
    source_after=YEARS,
    predecessor_rows=13_800,
)
LIMITS = GateLimits(shrink=0.01, freshness_days=14)


def failed(facts=FACTS, run=RUN):
    results = evaluate_gates(facts, run, limits=LIMITS, now=NOW)
    return {result.name: result.severity for result in results if not result.passed}


def test_a_good_snapshot_passes_all_ten():
    results = evaluate_gates(FACTS, RUN, limits=LIMITS, now=NOW)
    assert len({result.name for result in results}) == 10
    assert failed() == {}


MOVED = replace(RUN, source_before=YEARS, source_after=YEARS | {"2024": 4_845})
AM_PM = {(hour if hour < 12 else hour - 12): 0 for hour in HOURS} | {
    hour: HOURS[hour] + HOURS[hour + 12] for hour in range(12)
}
SHIFTED = {(hour + 6) % 24: rows for hour, rows in HOURS.items()}

FAULTS = {
    "a page lost": (FACTS, replace(RUN, rows_landed=99), {"rows landed": "critical"}),
    "a row lost in the merge": (FACTS, replace(RUN, distinct_ids=101), {"ids accounted for": "critical"}),
    "a row lost in the build": (replace(FACTS, row_count=13_839), RUN, {"rows built": "critical"}),
    "rows left out and said": (replace(FACTS, row_count=13_838), replace(RUN, left_out=2), {}),
    "shrunk": (FACTS, replace(RUN, predecessor_rows=13_981), {"no shrink": "critical"}),
    "shrunk by just 1 %": (FACTS, replace(RUN, predecessor_rows=13_979), {}),
    "shrunk by force": (FACTS, replace(RUN, predecessor_rows=99_999, forced=True), {}),
    "no predecessor": (FACTS, replace(RUN, predecessor_rows=None), {}),
    "an id twice": (replace(FACTS, duplicate_ids=1), RUN, {"unique ids": "critical"}),
    "a null left": (replace(FACTS, unfilled={"CRIME_TYPE": 2}), RUN, {"nulls filled": "critical"}),
    "a code without a name": (replace(FACTS, unresolved={"WARD": 1}), RUN, {"codes resolved": "critical"}),
    "a date of the future": (replace(FACTS, newest_incident=datetime(9999, 12, 31)), RUN, {"freshness": "warning"}),
    "15 days old": (replace(FACTS, newest_incident=datetime(2024, 3, 5)), RUN, {"freshness": "warning"}),
    "14 days old": (replace(FACTS, newest_incident=datetime(2024, 3, 6)), RUN, {}),
    "PM taken for AM": (replace(FACTS, hours=AM_PM), RUN, {"hours of day": "critical"}),
    "six hours off": (replace(FACTS, hours=SHIFTED), RUN, {"hours of day": "critical"}),
    "few rows": (replace(FACTS, hours={12: 9_999}), RUN, {"hours of day": "warning"}),
    "raw differs from a quiet source": (
        FACTS,
        replace(RUN, raw_by_year=YEARS | {"2023": 8_999}),
        {"counts by year": "critical"},
    ),
    "raw within the movement": (FACTS, MOVED, {}),
    "raw beyond the movement": (
        FACTS,
        replace(MOVED, raw_by_year=YEARS | {"2024": 4_839}),
        {"counts by year": "critical"},
    ),
    "another year than the one that moved": (
        FACTS,
        replace(MOVED, raw_by_year={"2023": 8_999, "2024": 4_845}),
        {"counts by year": "critical"},
    ),
    "the source was not asked": (FACTS, replace(RUN, source_before={}, source_after={}), {}),
}


@pytest.mark.parametrize(("facts", "run", "expected"), FAULTS.values(), ids=FAULTS)
def test_each_fault_fails_its_gate_alone(facts, run, expected):
    assert failed(facts, run) == expected


def test_an_empty_snapshot_is_refused():
    empty = SnapshotFacts(0, 0, {}, None, {}, {})
    assert "rows built" in failed(empty, replace(RUN, raw_rows=0))


def test_a_failed_gate_says_what_to_do():
    results = evaluate_gates(FACTS, replace(RUN, rows_landed=99), limits=LIMITS, now=NOW)
    (bad,) = [result for result in results if result.stops]
    assert "100 rows received, 99 landed" in bad.seen
    assert bad.expected
    assert bad.action


def test_a_source_moves_when_a_year_does():
    assert source_moved(MOVED)
    assert not source_moved(RUN)
