"""Checking a built snapshot: the hard gates and the expectations of the suite."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import psycopg

from include.errors import UsageError
from include.ingest.counts import add_months, by_year, outstanding_months, raw_months
from include.ingest.errors import GateHeldError, GateRefusedError
from include.ingest.runs import Run, add_warnings, load_run, working
from include.quality import (
    HELD_BY,
    GateLimits,
    QualityResult,
    RunFacts,
    evaluate_gates,
    read_snapshot_facts,
    run_diff,
    run_suite,
    source_moved,
    store_results,
)
from include.settings import Settings
from include.warehouse import Warehouse, get_snapshot

log = logging.getLogger(__name__)
CHICAGO = ZoneInfo("America/Chicago")


def check_run(warehouse: Warehouse, run_id: str, *, settings: Settings) -> dict[str, Any]:
    """Check the run's snapshot and return `snapshot_id`, `passed`, `failed`.

    Gates, suite and the comparison with its predecessor are stored.

    Raises:
        GateRefusedError: when a critical one failed; the snapshot is then `refused` and its schema stays for
            inspection until a later one is published.
        GateHeldError: when only the counts failed, because the source moved; the snapshot is then `held`.
        UsageError: when the run has built no snapshot.
    """
    with working(warehouse, run_id, stage="check") as conn:
        run = load_run(conn, run_id)
        if run.snapshot_id is None:
            raise UsageError(f"run {run_id} has built no snapshot", action="build it first")
        facts = read_run_facts(conn, run)
        gates = evaluate_gates(
            read_snapshot_facts(conn, run.snapshot_id),
            facts,
            limits=GateLimits(shrink=settings.shrink_limit, freshness_days=settings.freshness_days),
            now=datetime.now(CHICAGO).replace(tzinfo=None),
        )
        results = [*gates, *run_suite(warehouse.owner_url, run.snapshot_id)]
        with conn.transaction():
            store_results(conn, results, snapshot_id=run.snapshot_id, run_id=run_id)
        add_warnings(conn, run_id, [_say(r) for r in results if not r.passed and not r.stops])
        # Of a held or refused one too: it may be published by hand, and shows what was wrong.
        run_diff(conn, run.snapshot_id)
        failed = [result for result in results if result.stops]
        if failed:
            _refuse(conn, run.snapshot_id, failed, moved=source_moved(facts))
    passed = sum(result.passed for result in results)
    log.info("%s: %s passed %d of %d checks", run_id, run.snapshot_id, passed, len(results))
    return {
        "snapshot_id": run.snapshot_id,
        "passed": passed,
        "failed": [result.name for result in results if not result.passed],
    }


def read_run_facts(conn: psycopg.Connection, run: Run) -> RunFacts:
    """Return what the gates want to know of a run."""
    assert run.snapshot_id is not None
    predecessor = get_snapshot(conn, run.snapshot_id).predecessor_id
    months = raw_months(conn)
    return RunFacts(
        rows_received=run.rows_received,
        rows_landed=run.rows_landed,
        distinct_ids=run.distinct_ids,
        inserted=run.inserted,
        updated=run.updated,
        restamped=run.restamped,
        unchanged=run.unchanged,
        rejected=run.rejected,
        raw_rows=sum(month.rows for month in months.values()),
        left_out=run.plan.get("left_out", 0),
        raw_by_year=by_year(add_months(months, outstanding_months(conn))),
        source_before=(run.source_counts_before or {}).get("by_year", {}),
        source_after=(run.source_counts_after or {}).get("by_year", {}),
        predecessor_rows=get_snapshot(conn, predecessor).row_count if predecessor else None,
        forced=run.request.force,
    )


def _refuse(conn: psycopg.Connection, snapshot_id: str, failed: Sequence[QualityResult], *, moved: bool) -> None:
    held = moved and [result.name for result in failed] == [HELD_BY]
    said = "; ".join(f"{result.name}: {result.seen}" for result in failed)
    conn.execute(
        "UPDATE ops.snapshot SET state = %s, note = %s WHERE snapshot_id = %s",
        ("held" if held else "refused", said, snapshot_id),
    )
    kind = GateHeldError if held else GateRefusedError
    raise kind(
        f"snapshot {snapshot_id} is not published: {said}",
        expected="; ".join(result.expected for result in failed),
        action="; ".join(dict.fromkeys(result.action for result in failed)),
    )


def _say(result: QualityResult) -> str:
    return f"{result.name}: {result.seen} (expected: {result.expected})"
