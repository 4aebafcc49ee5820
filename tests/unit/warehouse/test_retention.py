from datetime import UTC, datetime, timedelta

import pytest

from include.warehouse import Snapshot
from include.warehouse.retention import plan_retention


def snapshot(spec: str, age: int) -> Snapshot:
    """Make a snapshot from "state" or "state/run", built `age` days ago."""
    state, _, run_id = spec.partition("/")
    built_at = datetime(2026, 6, 1, tzinfo=UTC) - timedelta(days=age)
    nothing = dict.fromkeys(
        ("source_id", "predecessor_id", "row_count", "newest_incident", "oldest_incident", "newest_update"), None
    )
    return Snapshot(
        snapshot_id=f"snap_{age}",
        state=state,
        run_id=run_id or None,
        fingerprint=None,
        built_at=built_at,
        published_at=None,
        note=None,
        **nothing,
    )


@pytest.mark.parametrize(
    ("specs", "keep", "due"),
    [
        ([], 3, []),
        (["published"], 1, []),
        (["published", "superseded", "superseded"], 3, []),
        (["published", "superseded", "superseded", "superseded"], 3, [3]),
        (["published", "superseded", "superseded"], 1, [2, 1]),
        # After a rollback the published one is not the newest: it stays, whatever its age.
        (["superseded", "superseded", "superseded", "published"], 2, [2, 1]),
        (["superseded", "superseded"], 1, [1]),
        (["published", "variant", "variant", "dropped"], 1, []),
        (["candidate/live", "building/live", "published", "candidate/live"], 1, []),
        (["candidate/dead", "held/dead", "refused/dead", "published"], 1, []),
        (["published", "candidate/dead", "held/dead", "refused/dead"], 1, [3, 2, 1]),
        (["building/dead", "published", "building"], 1, [2, 0]),
        (["candidate/dead", "building/dead"], 1, [1]),
    ],
)
def test_what_is_due(specs, keep, due):
    snapshots = [snapshot(spec, age) for age, spec in enumerate(specs)]
    planned = plan_retention(snapshots, keep=keep, running={"live"})
    assert [one.snapshot_id for one in planned] == [f"snap_{age}" for age in due]
