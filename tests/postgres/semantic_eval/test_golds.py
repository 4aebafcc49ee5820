"""The golds of the unseen questions on a small generated snapshot: they run, most find rows, none hangs on the plan."""

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial

import psycopg
import pyarrow as pa
import pyarrow.csv
import pytest

from agent.benchmark.gold_lint import lint_gold
from agent.benchmark.gold_runs import GoldRun, run_golds
from agent.benchmark.questions import Question, QuestionSet, load_questions
from agent.guard import Caller, Guard, Limits
from include.ingest import run_build
from include.settings import PROJECT_ROOT, Settings
from include.source.simulator.generator import write_generated
from include.warehouse import Warehouse
from tests.postgres.benchmark.loading import load_raw

pytestmark = pytest.mark.postgres

ROWS = 30_000
MAX_EMPTY = 8
THIN = ("it returns nothing", "all it returns is null", "its LIMIT cuts through rows tied")
"""What may befall a gold on rows this few; the comparator takes any of the tied."""
TIERS = {"easy": 35, "medium": 45, "hard": 30}
FOLDER = PROJECT_ROOT / "tests" / "fixtures" / "semantic_eval"
SETS = {path.stem: load_questions(path) for path in sorted(FOLDER.glob("unseen_*.yaml"))}
ASKED = [pytest.param(question, id=f"{name}-{question.id}") for name, one in SETS.items() for question in one.questions]


@pytest.fixture(scope="module")
def snapshots(warehouse: Warehouse) -> Warehouse:
    """`snap_plain`, and `snap_shuffled` built from the same rows stored in another order."""
    written = io.BytesIO()
    write_generated(written, rows=ROWS, seed=11, years=(2011, 2026), as_of=date(2026, 9, 1))
    header = written.getvalue().split(b"\n", 1)[0].decode().strip().replace('"', "").split(",")
    types = pa.csv.ConvertOptions(column_types={name: pa.string() for name in header})
    table = pa.csv.read_csv(io.BytesIO(written.getvalue()), convert_options=types)
    table = table.drop_columns(["location"]).rename_columns({":updated_at": "source_updated_at"})
    text = table.to_pandas().to_csv(index=False, header=False)
    with warehouse.owner() as conn:
        load_raw(conn, text, columns=table.column_names)
        conn.execute("CREATE TABLE staging.shuffled AS SELECT * FROM raw.crime ORDER BY md5(id::text)")
        run_build(conn, schema="snap_plain")
        run_build(conn, schema="snap_shuffled", raw="staging.shuffled")
    return warehouse


@pytest.fixture(scope="module")
def plain(snapshots: Warehouse) -> Iterator[psycopg.Connection]:
    with _reading(snapshots, "snap_plain", parallel=False) as conn:
        yield conn


@pytest.fixture(scope="module")
def shuffled(snapshots: Warehouse) -> Iterator[psycopg.Connection]:
    with _reading(snapshots, "snap_shuffled", parallel=True) as conn:
        yield conn


def test_the_sets_have_their_sizes_and_ask_nothing_twice_or_of_the_benchmark() -> None:
    assert [Counter(question.tier for question in one.questions) for one in SETS.values()] == [TIERS, TIERS]
    texts = Counter(
        question.question.casefold() for one in (load_questions(), *SETS.values()) for question in one.questions
    )
    assert texts.most_common(1)[0][1] == 1


@pytest.mark.parametrize("question", ASKED)
def test_a_gold_keeps_the_rules_of_the_benchmark(question: Question) -> None:
    assert lint_gold(question) == ()


@pytest.mark.parametrize("name", SETS)
def test_every_gold_runs_by_the_guard_and_few_are_empty(snapshots: Warehouse, name: str) -> None:
    runs = _runs(snapshots, SETS[name])
    assert not [run for run in runs if run.skipped]
    assert not [run for run in runs if run.fault and not run.fault.startswith(THIN)]
    assert len({run.question_id for run in runs if run.fault}) <= MAX_EMPTY


@pytest.mark.parametrize("question", ASKED)
def test_a_gold_does_not_hang_on_storage_order_or_plan(
    plain: psycopg.Connection, shuffled: psycopg.Connection, question: Question
) -> None:
    for sql in question.gold:
        one, other = plain.execute(sql).fetchall(), shuffled.execute(sql).fetchall()
        assert one == other if question.ordered else Counter(one) == Counter(other)


@contextmanager
def _reading(warehouse: Warehouse, schema: str, *, parallel: bool) -> Iterator[psycopg.Connection]:
    with warehouse.owner() as conn:
        conn.execute(f"SET search_path TO {schema}")
        conn.execute(f"SET max_parallel_workers_per_gather = {2 if parallel else 0}")
        if parallel:
            for setting in ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"):
                conn.execute(f"SET {setting} = 0")
        yield conn


def _runs(warehouse: Warehouse, questions: QuestionSet) -> tuple[GoldRun, ...]:
    limits, caller = Limits.for_bench(Settings()), Caller(interface="test", node="gold")
    with Guard(warehouse, settings=Settings(), audit=False) as guard:
        execute = partial(guard.execute, schema="snap_plain", caller=caller, limits=limits)
        return run_golds(questions, execute=execute)
