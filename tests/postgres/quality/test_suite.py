"""The generated suite on a real snapshot: all passes, and each kind of fault is found with its count."""

import pytest

from include.ingest.variant import ensure_variants
from include.quality.suite import plan_suite, run_suite

# expectation, what it must have seen, the fault
FAULTS = [
    (
        "crime_incidents.SEASON.ExpectColumnValuesToBeInSet",
        "MONSOON",
        """UPDATE {s}.crime_incidents SET "SEASON" = 'MONSOON' WHERE "MONTH" = 1""",
    ),
    (
        "crime_incidents.HOUR.ExpectColumnValuesToBeBetween",
        "24",
        """UPDATE {s}.crime_incidents SET "HOUR" = 24 WHERE "HOUR" = 3""",
    ),
    (
        "crime_incidents.CRIME_TYPE.ExpectColumnValuesToNotBeNull",
        "1 of",
        """ALTER TABLE {s}.crime_incidents ALTER "CRIME_TYPE" DROP NOT NULL;
           UPDATE {s}.crime_incidents SET "CRIME_TYPE" = NULL
           WHERE "ID" = (SELECT min("ID") FROM {s}.crime_incidents)""",
    ),
    (
        "crime_incidents.ExpectTableColumnsToMatchOrderedList",
        "39 columns",
        "ALTER TABLE {s}.crime_incidents ADD COLUMN extra int",
    ),
]


@pytest.fixture(scope="module")
def snapshot_id(warehouse):
    return ensure_variants(warehouse, rows=10_000)[0].snapshot_id


def test_a_sound_snapshot_passes(warehouse, snapshot_id):
    results = run_suite(warehouse.owner_url, snapshot_id)
    assert {result.name: result.seen for result in results if not result.passed} == {}
    assert len(results) == len({result.name for result in results}) == len(plan_suite())


def test_variants_are_built_once(warehouse, snapshot_id):
    again = ensure_variants(warehouse, rows=10_000)
    assert again[0].snapshot_id == snapshot_id
    assert len({variant.fingerprint for variant in again}) == 2


def test_each_fault_is_found(warehouse, snapshot_id):
    with warehouse.owner() as conn:
        for _, _, statement in FAULTS:
            conn.execute(statement.format(s=snapshot_id))
    failed = {result.name: result for result in run_suite(warehouse.owner_url, snapshot_id) if not result.passed}
    assert set(failed) == {name for name, _, _ in FAULTS}
    for name, seen, _ in FAULTS:
        assert seen in failed[name].seen
        assert failed[name].stops


def test_variants_of_earlier_rules_are_dropped(new_warehouse, monkeypatch):
    before = ensure_variants(new_warehouse, rows=10_000)
    monkeypatch.setattr("include.ingest.variant._rules_digest", lambda: "0123456789")
    after = ensure_variants(new_warehouse, rows=10_000)
    with new_warehouse.owner() as conn:
        schemas = {name for (name,) in conn.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ '^variant_'")}
    assert schemas == {variant.snapshot_id for variant in after}
    assert not schemas & {variant.snapshot_id for variant in before}
