"""Every gold of a set run on one snapshot: which fail, return nothing, are too long or cut through ties."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent.benchmark.questions import Question, QuestionSet
from agent.benchmark.ties import read_ordering
from agent.guard import GuardRefusal, QueryFailed, QueryResult

MAX_ROWS = 50_000

Execute = Callable[[str], QueryResult]


@dataclass(frozen=True)
class GoldRun:
    """What came of one gold.

    Attributes:
        number: which of the question's golds, from 1.
        row_count: rows returned; 0 also where it did not run.
        skipped: the snapshot lacks a year the question needs, so the gold did not run.
        fault: what is wrong with it, in words; empty = nothing.
    """

    question_id: int
    number: int
    row_count: int = 0
    skipped: bool = False
    fault: str = ""

    @property
    def empty(self) -> bool:
        """Whether it ran well and returned nothing."""
        return not self.skipped and not self.fault and self.row_count == 0


def run_golds(questions: QuestionSet, *, execute: Execute) -> tuple[GoldRun, ...]:
    """Run all golds.

    Args:
        questions: the set.
        execute: runs one SQL text on the snapshot, by the guard.
    """
    years = frozenset(row[0] for row in execute('SELECT DISTINCT "YEAR" FROM crime_incidents').rows)
    return tuple(run for question in questions.questions for run in _runs(question, execute=execute, years=years))


def _runs(question: Question, *, execute: Execute, years: frozenset[object]) -> Iterator[GoldRun]:
    for number, sql in enumerate(question.gold, start=1):
        if not years.issuperset(question.years):
            yield GoldRun(question_id=question.id, number=number, skipped=True)
            continue
        try:
            result = execute(sql)
            fault = _fault(sql, result, question=question, execute=execute)
            yield GoldRun(question_id=question.id, number=number, row_count=result.row_count, fault=fault)
        except (GuardRefusal, QueryFailed) as error:
            yield GoldRun(question_id=question.id, number=number, fault=str(error))


def _fault(sql: str, result: QueryResult, *, question: Question, execute: Execute) -> str:
    if result.truncated or result.row_count > MAX_ROWS:
        return f"it returns more than {MAX_ROWS:,} rows"
    if not result.rows and "may_be_empty" not in question.tags:
        return "it returns nothing"
    if result.rows and all(value is None for row in result.rows for value in row):
        return "all it returns is null"
    ordering = read_ordering(sql)
    if ordering.look_ahead_sql is None or ordering.tie_column is None:
        return ""
    ahead = execute(ordering.look_ahead_sql).rows
    cut = len(result.rows)
    if len(ahead) > cut and ahead[cut][ordering.tie_column] == result.rows[-1][ordering.tie_column]:
        return f"its LIMIT cuts through rows tied at {result.rows[-1][ordering.tie_column]}"
    return ""
