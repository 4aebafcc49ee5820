"""Every gold a second time: SQL on a built snapshot against pandas on the source rows, for a tenth of the real rows."""

from collections.abc import Iterator

import pandas as pd
import pytest

from agent.benchmark.questions import load_questions
from agent.guard import Caller, Guard, Limits
from include.ingest import run_build
from include.settings import Settings
from include.warehouse import Warehouse
from tests.postgres.benchmark.compare import asked_columns, assert_same_rows
from tests.postgres.benchmark.frames import Frames, make_frames, read_real_rows
from tests.postgres.benchmark.loading import load_raw
from tests.postgres.benchmark.second_easy import easy, medium
from tests.postgres.benchmark.second_hard import hard

pytestmark = [pytest.mark.postgres, pytest.mark.real_rows]

EVERY = 10
SECOND = easy() | medium() | hard()
NOT_ON_THESE_YEARS = {42}
QUESTIONS = load_questions()


@pytest.fixture(scope="module")
def source(shared_data) -> pd.DataFrame:
    return read_real_rows(shared_data, every=EVERY)


@pytest.fixture(scope="module")
def frames(source: pd.DataFrame, shared_data) -> Frames:
    return make_frames(source, shared_data)


@pytest.fixture(scope="module")
def guard(warehouse: Warehouse, source: pd.DataFrame) -> Iterator[Guard]:
    with warehouse.owner() as conn:
        load_raw(conn, source.to_csv(index=False, header=False), columns=list(source.columns))
        run_build(conn, schema="snap_real")
    with Guard(warehouse, settings=Settings(), audit=False) as opened:
        yield opened


def test_no_gold_is_left_out() -> None:
    assert set(SECOND) | NOT_ON_THESE_YEARS == {question.id for question in QUESTIONS.questions}


@pytest.mark.parametrize("question_id", SECOND)
def test_sql_and_pandas_agree(guard: Guard, frames: Frames, question_id: int) -> None:
    question = QUESTIONS.get(question_id)
    caller = Caller(interface="test", node="gold")
    result = guard.execute(question.gold[0], schema="snap_real", caller=caller, limits=Limits.for_bench(Settings()))
    rows = asked_columns(question, list(result.columns), list(result.rows))
    assert_same_rows(question, rows, SECOND[question_id](frames))
