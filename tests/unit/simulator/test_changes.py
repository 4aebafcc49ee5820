from datetime import date
from pathlib import Path

import numpy as np
import pytest

from include.source.simulator import RowStore, generate_store, open_store, serve
from tests.unit.simulator.conftest import DATASET, FIXTURES, client_of


@pytest.fixture(params=["generator", "file"])
def store(request) -> RowStore:
    if request.param == "generator":
        return generate_store(rows=5_000, seed=3, as_of=date(2026, 10, 1))
    return open_store(FIXTURES / "crimes_small.csv")


def ask(store: RowStore, fault: str, select: str) -> tuple[list, list]:
    with serve(store, faults=[fault]) as handle, client_of(handle) as client:
        first = client.get(DATASET, select=select, order="id", limit=10_000)
        return first, client.get(DATASET, select=select, order="id", limit=10_000)


def test_a_full_replacement_renews_every_system_field_and_no_content(store):
    before, after = ask(store, "full-replace", ":id,:updated_at,*")
    assert [{k: v for k, v in row.items() if k[0] != ":"} for row in before] == [
        {k: v for k, v in row.items() if k[0] != ":"} for row in after
    ]
    assert all(a[":id"] != b[":id"] for a, b in zip(before, after, strict=True))
    assert min(row[":updated_at"] for row in after) > max(row[":updated_at"] for row in before)


def test_a_mass_deletion_leaves_one_row_in_fifty(store):
    before, after = ask(store, "mass-deletion", "id")
    assert len(after) == -(-len(before) // 50)
    assert {row["id"] for row in after} <= {row["id"] for row in before}


def test_inserted_rows_lie_in_the_middle_and_carry_the_newest_stamp(store):
    before, after = ask(store, "insert-between-pages", "id,:updated_at")
    new = {row["id"] for row in after} - {row["id"] for row in before}
    assert len(new) == 5
    assert min(int(row["id"]) for row in before) < min(int(i) for i in new)
    assert min(r[":updated_at"] for r in after if r["id"] in new) > max(r[":updated_at"] for r in before)
    assert [int(row["id"]) for row in after] == sorted(int(row["id"]) for row in after)


def test_a_skewed_clock_runs_three_hours_ahead(store):
    last = store.last_touched
    ask(store, "clock-skew", "id")
    assert store.last_touched == last + 3 * 3600


def test_weeks_of_a_file_bring_new_revised_and_fewer_old_rows(tmp_path: Path):
    from include.source.simulator import write_generated

    write_generated(tmp_path / "rows.csv", rows=20_000, seed=3, as_of=date(2026, 10, 1))
    store = open_store(tmp_path / "rows.csv")
    ids, last = set(store.ids.tolist()), store.last_touched
    store.advance(2)
    again = open_store(tmp_path / "rows.csv")
    again.advance(2)
    later = set(store.ids.tolist())
    assert np.array_equal(store.ids, again.ids)
    assert np.all(np.diff(store.ids.astype(np.int64)) > 0)
    assert len(later - ids) >= 10
    assert 1 <= len(ids - later) <= 40
    assert int((store.touched > last).sum()) > len(later - ids)
    assert store.last_touched == last + 14 * 86_400


def test_pages_of_an_answer_do_not_mix_states():
    store = generate_store(rows=5_000, seed=3, as_of=date(2026, 10, 1))
    frozen = store.snapshot()
    ids, case = frozen.ids.copy(), frozen.read("case_number", slice(0, len(frozen)))
    store.advance(20)
    assert np.array_equal(frozen.ids, ids)
    assert frozen.read("case_number", slice(0, len(frozen))).equals(case)
    assert len(store) > len(frozen)
