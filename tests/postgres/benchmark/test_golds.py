"""Every gold on a small generated snapshot: it runs by the guard, and gives the same on shuffled rows in parallel."""

import io
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import partial

import psycopg
import pyarrow as pa
import pyarrow.csv
import pytest

from agent.benchmark.gold_runs import GoldRun, run_golds
from agent.benchmark.questions import Question, load_questions
from agent.guard import Caller, Guard, Limits
from include.ingest import run_build
from include.settings import Settings
from include.source.simulator.generator import write_generated
from include.warehouse import Warehouse
from tests.postgres.benchmark.loading import load_raw

pytestmark = pytest.mark.postgres

ROWS = 40_000
AS_OF = date(2026, 9, 1)
THIN = {42, 62, 69}
"""Questions whose thresholds these rows do not reach."""
QUESTIONS = load_questions()


@pytest.fixture(scope="module")
def snapshots(warehouse: Warehouse) -> Warehouse:
    """`snap_plain`, and `snap_shuffled` built from the same rows stored in another order."""
    written = io.BytesIO()
    write_generated(written, rows=ROWS, seed=5, years=(2014, 2026), as_of=AS_OF)
    table = pa.csv.read_csv(
        io.BytesIO(written.getvalue()),
        convert_options=pa.csv.ConvertOptions(column_types={name: pa.string() for name in _header(written)}),
    )
    table = table.drop_columns(["location"]).rename_columns({":updated_at": "source_updated_at"})
    text = table.to_pandas().to_csv(index=False, header=False)
    with warehouse.owner() as conn:
        load_raw(conn, text, columns=table.column_names)
        conn.execute("CREATE TABLE staging.shuffled AS SELECT * FROM raw.crime ORDER BY md5(id::text)")
        run_build(conn, schema="snap_plain")
        run_build(conn, schema="snap_shuffled", raw="staging.shuffled")
    return warehouse


@pytest.fixture(scope="module")
def runs(snapshots: Warehouse) -> dict[tuple[int, int], GoldRun]:
    limits, caller = Limits.for_bench(Settings()), Caller(interface="test", node="gold")
    with Guard(snapshots, settings=Settings(), audit=False) as guard:
        execute = partial(guard.execute, schema="snap_plain", caller=caller, limits=limits)
        return {(run.question_id, run.number): run for run in run_golds(QUESTIONS, execute=execute)}


@pytest.fixture(scope="module")
def plain(snapshots: Warehouse) -> Iterator[psycopg.Connection]:
    with snapshots.owner() as conn:
        conn.execute("SET search_path TO snap_plain")
        conn.execute("SET max_parallel_workers_per_gather = 0")
        yield conn


@pytest.fixture(scope="module")
def shuffled(snapshots: Warehouse) -> Iterator[psycopg.Connection]:
    with snapshots.owner() as conn:
        conn.execute("SET search_path TO snap_shuffled")
        for setting in ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"):
            conn.execute(f"SET {setting} = 0")
        conn.execute("SET max_parallel_workers_per_gather = 2")
        yield conn


@pytest.mark.parametrize("question", QUESTIONS.questions, ids=lambda question: str(question.id))
def test_every_gold_runs_by_the_guard_without_a_fault(runs: dict[tuple[int, int], GoldRun], question: Question) -> None:
    found = [runs[question.id, number] for number in range(1, len(question.gold) + 1)]
    assert not any(run.skipped for run in found)
    assert {run.fault for run in found} <= ({"", "it returns nothing"} if question.id in THIN else {""})


@pytest.mark.parametrize("question", QUESTIONS.questions, ids=lambda question: str(question.id))
def test_a_gold_does_not_hang_on_storage_order_or_plan(
    plain: psycopg.Connection, shuffled: psycopg.Connection, question: Question
) -> None:
    for sql in question.gold:
        one, other = plain.execute(sql).fetchall(), shuffled.execute(sql).fetchall()
        assert one == other if question.ordered else Counter(one) == Counter(other)


def _header(written: io.BytesIO) -> list[str]:
    return written.getvalue().split(b"\n", 1)[0].decode().strip().replace('"', "").split(",")
