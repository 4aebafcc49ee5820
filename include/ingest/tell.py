"""What a run tells when it has ended: a short summary, or what went wrong, by e-mail and webhook."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from include.ingest.runs import Run
from include.notify import send_alert
from include.settings import Settings
from include.warehouse import Snapshot

CHICAGO = ZoneInfo("America/Chicago")
TITLE = "Chicago crime data"
_COUNTS = ("rows_received", "inserted", "updated", "restamped", "unchanged", "rejected", "deleted")
_SEEN_AT_ONCE = ("UsageError", "KeyboardInterrupt")
"""Errors that whoever typed the command has before them."""


@dataclass(frozen=True)
class Message:
    """Subject, text and machine-readable details."""

    subject: str
    text: str
    details: dict[str, Any]


def tell_end(settings: Settings, run: Run, published: Snapshot | None) -> None:
    """Tell how a run ended; nothing when a mistyped command ended it, or no way of delivery is set."""
    if (message := plan_message(run, published, freshness_days=settings.freshness_days, now=datetime.now(UTC))) is None:
        return
    send_alert(settings, subject=message.subject, text=message.text, details=message.details)


def tell_loss(settings: Settings, run_id: str, error: str) -> None:
    """Tell that a run failed and that its record could not be written."""
    send_alert(
        settings,
        subject=f"{TITLE}: ingestion failed",
        text=f"{run_id} failed, and the warehouse does not answer: {error}",
        details={"run_id": run_id, "status": "failed", "error": error},
    )


def plan_message(run: Run, published: Snapshot | None, *, freshness_days: int, now: datetime) -> Message | None:
    """Return what an ended run has to tell.

    Args:
        run: the run.
        published: the snapshot that readers have now.
        freshness_days: age of the newest incident from which on the data are not fresh.
        now: the moment.
    """
    error = run.error or {}
    if run.orchestrator == "cli" and error.get("kind") in _SEEN_AT_ONCE:
        return None
    details = {
        "run_id": run.run_id,
        "mode": run.mode,
        "status": run.status,
        "snapshot_id": published.snapshot_id if published else None,
        **{name: getattr(run, name) for name in _COUNTS},
        "warnings": run.warnings,
        "error": run.error,
    }
    age = age_days(published, now=now)
    is_stale = age is not None and age > freshness_days
    subject = {
        "published": f"{TITLE}: published {published.snapshot_id if published else ''}",
        "unchanged": f"{TITLE}: nothing changed",
        "merged": f"{TITLE}: merged, not published",
        "held": f"{TITLE}: snapshot {run.snapshot_id} held",
    }.get(run.status, f"{TITLE}: ingestion {run.status}")
    if run.error is None and is_stale:
        subject += ", but not fresh"
    return Message(subject, "\n".join(_lines(run, published, age=age if is_stale else None, now=now)), details)


def age_days(published: Snapshot | None, *, now: datetime) -> int | None:
    """Return the age of the newest incident in whole days; None without a snapshot or an incident."""
    if published is None or published.newest_incident is None:
        return None
    return (now.astimezone(CHICAGO).replace(tzinfo=None) - published.newest_incident).days


def describe_counts(values: Mapping[str, Any]) -> str:
    """Return the counts of a run as a phrase."""
    return ", ".join(f"{values[name]:,} {name.replace('rows_', '')}" for name in _COUNTS)


def _lines(run: Run, published: Snapshot | None, *, age: int | None, now: datetime) -> list[str]:
    seconds = (now - run.started_at).total_seconds()
    lines = [f"Run {run.run_id} ({run.mode}, by {run.orchestrator}) ended {run.status} after {seconds:,.0f} s."]
    if run.error:
        lines.append(f"At stage {run.error.get('stage', run.stage)}: {run.error['message']}.")
    lines.append(f"Rows: {describe_counts({name: getattr(run, name) for name in _COUNTS})}.")
    if published is None:
        lines.append("No snapshot is published.")
    else:
        newest = f", newest incident {published.newest_incident:%Y-%m-%d}" if published.newest_incident else ""
        lines.append(f"Readers have {published.snapshot_id}: {published.row_count or 0:,} rows{newest}.")
    if age is not None:
        lines.append(f"The newest incident is {age} days old: see whether the City still publishes.")
    return lines + [f"Warning: {warning}" for warning in run.warnings]
