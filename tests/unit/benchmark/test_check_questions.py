from dataclasses import replace

import pytest

from agent.benchmark import check_questions
from agent.benchmark.check_questions import broken_rules, broken_runs, main
from agent.benchmark.gold_runs import GoldRun, run_golds
from agent.benchmark.questions import Question, QuestionSet, load_questions
from agent.benchmark.variety import measure_variety
from agent.guard import QueryFailed, QueryResult
from include.errors import TerminalError


@pytest.fixture(scope="module")
def hundred() -> QuestionSet:
    return load_questions()


@pytest.fixture
def no_warehouse(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise TerminalError("the warehouse is not running")

    monkeypatch.setattr(check_questions.Warehouse, "from_settings", refuse)


def with_changed(questions: QuestionSet, question_id: int, **fields: object) -> QuestionSet:
    changed = tuple(replace(q, **fields) if q.id == question_id else q for q in questions.questions)  # type: ignore[arg-type]
    return replace(questions, questions=changed)


def result(*rows: tuple[object, ...], truncated: bool = False) -> QueryResult:
    columns = tuple(f"c{n}" for n in range(len(rows[0]) if rows else 1))
    return QueryResult(columns, ("text",) * len(columns), rows, len(rows), truncated, 1.0, "", "snap")


@pytest.mark.usefixtures("no_warehouse")
def test_the_hundred_pass_and_say_that_no_snapshot_was_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    printed = capsys.readouterr()
    assert "30 easy, 40 medium, 30 hard" in printed.out
    assert "golds were not run: the warehouse is not running" in printed.out
    assert printed.err == ""


@pytest.mark.usefixtures("no_warehouse")
def test_a_broken_rule_exits_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], hundred: QuestionSet
) -> None:
    broken = with_changed(hundred, 100, gold=("SELECT now() AS x, 1 AS violent, 2 AS property, 3 AS district_id",))
    monkeypatch.setattr(check_questions, "load_questions", lambda: broken)
    assert main() == 3
    printed = capsys.readouterr().err
    assert "broken: question 100, gold 1: CURRENT_TIMESTAMP is not the same on every run" in printed
    assert "broken: hard golds with fewer than 2 constructs: 100" in printed


def test_an_unreadable_file_is_one_error_with_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path
) -> None:
    monkeypatch.setattr(check_questions, "load_questions", lambda: load_questions(tmp_path / "none.yaml"))
    assert main() == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("question_id", "fields", "expected"),
    [
        (1, {"tier": "medium"}, "tiers are"),
        (1, {"reserved": False}, "reserved are"),
        (71, {"gold": ("SELECT 1 AS a",)}, "fewer than 2 constructs: 71"),
        (1, {"tags": ("verbless",)}, "question 1 is tagged verbless and asks a question"),
        (1, {"tags": ("renamed",), "question": "Robbery in 2016?"}, "question 1 is tagged renamed"),
    ],
)
def test_each_rule_is_checked(hundred: QuestionSet, question_id: int, fields: dict[str, object], expected: str) -> None:
    changed = with_changed(hundred, question_id, **fields)
    broken = broken_rules(changed, measure_variety(changed))
    assert any(expected in rule for rule in broken)


def test_rules_of_variety_are_checked(hundred: QuestionSet) -> None:
    figures = measure_variety(hundred)
    assert broken_rules(hundred, figures) == []
    poor = replace(figures, skeletons=59, openings=(("how many", 16),), without_question=19, renamed=29)
    assert [rule[:12] for rule in broken_rules(hundred, poor)] == [
        "59 SQL skele",
        "16 questions",
        "19 are comma",
        "29 name a va",
    ]


def test_five_empty_golds_are_allowed_and_six_are_not() -> None:
    runs = tuple(GoldRun(question_id=n, number=1) for n in range(1, 7))
    assert broken_runs(runs[:5]) == []
    assert broken_runs(runs) == ["6 golds return nothing: [1, 2, 3, 4, 5, 6]"]
    assert broken_runs((GoldRun(question_id=3, number=2, fault="it broke"),)) == ["question 3, gold 2: it broke"]


@pytest.mark.parametrize(
    ("answer", "tags", "fault"),
    [
        (result(("a", 1)), (), ""),
        (result(), (), "it returns nothing"),
        (result(), ("may_be_empty",), ""),
        (result((None,)), (), "all it returns is null"),
        (result((1,), truncated=True), (), "it returns more than 50,000 rows"),
    ],
)
def test_what_is_wrong_with_a_result_is_named(answer: QueryResult, tags: tuple[str, ...], fault: str) -> None:
    question = Question(id=1, tier="easy", question="?", gold=("SELECT ward_name FROM ward_names",), tags=tags)
    runs = run_golds(
        QuestionSet(name="s", version=1, questions=(question,)),
        execute=lambda sql: result((2016,)) if "DISTINCT" in sql else answer,
    )
    assert [(run.fault, run.empty) for run in runs] == [(fault, not answer.rows and not fault)]


@pytest.mark.parametrize(("fourth", "fault"), [(7, "its LIMIT cuts through rows tied at 7"), (6, "")])
def test_a_cut_through_ties_is_found(fourth: int, fault: str) -> None:
    sql = 'SELECT "BEAT", COUNT(*) AS n FROM crime_incidents GROUP BY "BEAT" ORDER BY n DESC, "BEAT" LIMIT 3'
    rows = (("a", 9), ("b", 8), ("c", 7), ("d", fourth))

    def execute(text: str) -> QueryResult:
        if "DISTINCT" in text:
            return result((2016,))
        return result(*rows[:3]) if text == sql else result(*rows)

    question = Question(id=1, tier="easy", question="?", gold=(sql,))
    runs = run_golds(QuestionSet(name="s", version=1, questions=(question,)), execute=execute)
    assert [run.fault for run in runs] == [fault]


def test_a_gold_whose_year_is_missing_does_not_run_and_a_failure_is_a_fault() -> None:
    late = Question(id=1, tier="easy", question="?", gold=("SELECT 1",), years=(2024,))
    bad = Question(id=2, tier="easy", question="!", gold=("SELECT 2",))

    def execute(text: str) -> QueryResult:
        if "DISTINCT" in text:
            return result((2016,))
        raise QueryFailed("division by zero", sqlstate="22012")

    runs = run_golds(QuestionSet(name="s", version=1, questions=(late, bad)), execute=execute)
    assert [(run.skipped, run.empty) for run in runs] == [(True, False), (False, False)]
    assert runs[1].fault == "division by zero (SQLSTATE 22012)"
