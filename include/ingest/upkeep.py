"""Weekly upkeep: retention of snapshots and landed pages, and the age of the data."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from include.ingest.chain import landed_modes
from include.ingest.tell import TITLE, age_days
from include.notify import send_alert
from include.settings import Settings
from include.source import landed_runs, remove_landed
from include.warehouse import Warehouse, list_snapshots, published_snapshot, run_retention

log = logging.getLogger(__name__)


def run_snapshot_retention(warehouse: Warehouse, *, settings: Settings) -> dict[str, Any]:
    """Drop the snapshots that are due; return `dropped`, and `kept`: those that stay although due, and why."""
    return asdict(run_retention(warehouse, keep=settings.snapshot_keep))


def run_landing_retention(warehouse: Warehouse, *, settings: Settings) -> dict[str, list[str]]:
    """Remove landed pages that no kept snapshot is made of, whole chains only, and return `removed` and `kept`.

    A chain is a full load with the increments after it.
    """
    with warehouse.owner() as conn:
        snapshots = [s for s in list_snapshots(conn) if s.state not in ("dropped", "building") and s.run_id]
        running = {row[0] for row in conn.execute("SELECT run_id FROM ops.ingest_run WHERE status = 'running'")}
    runs = list(landed_runs(settings))
    removed = plan_landing_retention(
        runs, modes=landed_modes(settings), used=[str(s.run_id) for s in snapshots], running=running
    )
    for run_id in removed:
        remove_landed(settings, run_id)
        log.info("removed the landed pages of %s", run_id)
    return {"removed": removed, "kept": [run_id for run_id in runs if run_id not in removed]}


def plan_landing_retention(
    runs: Sequence[str], *, modes: Mapping[str, str], used: Sequence[str], running: set[str]
) -> list[str]:
    """Return the runs whose pages are due, oldest first.

    Args:
        runs: all with landed pages.
        modes: mode of those that were merged; the others can be resumed by nobody once they have ended.
        used: runs of the kept snapshots.
        running: runs that have not ended.
    """
    fulls = sorted(run_id for run_id in runs if modes.get(run_id) == "full")
    starts = [max((full for full in fulls if full <= run_id), default="") for run_id in used]
    # The newest chain stays whatever is published: the next increments build on it.
    first_needed = min([start for start in starts if start] + fulls[-1:], default="")
    return sorted(run_id for run_id in runs if run_id not in running and (run_id < first_needed or run_id not in modes))


def run_freshness_check(warehouse: Warehouse, *, settings: Settings) -> dict[str, Any]:
    """Alert when the newest incident is older than `settings.freshness_days`, or nothing is published.

    Returns:
        `fresh`, `newest_incident`, `age_days` (None without a snapshot) and `alerted` (the ways an alert went).
    """
    with warehouse.owner() as conn:
        snapshot = published_snapshot(conn)
    newest = snapshot.newest_incident if snapshot else None
    age = age_days(snapshot, now=datetime.now(UTC))
    fresh = age is not None and age <= settings.freshness_days
    alerted: tuple[str, ...] = ()
    if not fresh:
        seen = f"the newest incident is {age} days old ({newest:%Y-%m-%d})" if newest else "no snapshot is published"
        log.warning("%s; expected at most %d days", seen, settings.freshness_days)
        alerted = send_alert(
            settings,
            subject=f"{TITLE}: not fresh",
            text=f"In the published snapshot {seen}; at most {settings.freshness_days} days are expected.\n"
            "To do: see whether the weekly ingestion ran, and whether the City still publishes.",
            details={"snapshot_id": snapshot.snapshot_id if snapshot else None, "age_days": age},
        ).ways
    return {
        "fresh": fresh,
        "newest_incident": newest.isoformat() if newest else None,
        "age_days": age,
        "alerted": list(alerted),
    }
