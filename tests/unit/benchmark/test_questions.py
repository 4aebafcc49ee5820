from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
import yaml

from agent.benchmark.questions import QuestionSet, load_questions
from include.errors import UsageError

PRINTED = {
    28: "List all distinct location risk categories.",
    35: "What is the arrest rate for each crime category?",
    37: "Which 5 districts (by name) have the highest number of arrests?",
    42: "Which districts (by name) had more than 20000 crimes in 2024?",
    44: "Which year had the highest number of homicide offenses?",
    62: "Which community areas (by name) had more than 5000 property crimes?",
}
GOOD = {"id": 1, "tier": "easy", "question": "How many?", "gold": ["SELECT 1"]}


@pytest.fixture(scope="module")
def questions() -> QuestionSet:
    return load_questions()


def write(path: Path, *items: object, **top: object) -> Path:
    document = {"name": "small", "version": 1, "questions": list(items)} | top
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def test_the_set_has_100_questions_of_which_96_are_scored(questions: QuestionSet) -> None:
    assert [question.id for question in questions.questions] == list(range(1, 101))
    assert len(questions.scored) == 96
    assert sorted(question.tier for question in questions.reserved) == ["easy", "easy", "easy", "medium"]


@pytest.mark.parametrize(("question_id", "text"), PRINTED.items())
def test_the_printed_questions_keep_id_and_words(questions: QuestionSet, question_id: int, text: str) -> None:
    question = questions.get(question_id)
    assert question.question == text
    assert not question.reserved


def test_a_question_is_frozen(questions: QuestionSet) -> None:
    with pytest.raises(FrozenInstanceError):
        questions.get(1).tier = "hard"  # type: ignore[misc]


def test_an_unknown_id_names_the_range(questions: QuestionSet) -> None:
    with pytest.raises(UsageError, match=r"no question 101.*from 1 to 100"):
        questions.get(101)


def test_another_set_loads_with_defaults_and_sorted_ids(tmp_path: Path) -> None:
    second = {"id": 0, "tier": "hard", "question": " Which? ", "gold": "SELECT 2"}
    loaded = load_questions(write(tmp_path / "q.yaml", GOOD, second))
    assert [question.id for question in loaded.questions] == [0, 1]
    first = loaded.questions[0]
    assert (first.question, first.gold) == ("Which?", ("SELECT 2",))
    assert [first.ordered, first.scale, first.reserved] == [False, False, False]
    assert first.years == first.extra_columns == first.tags == ()


def test_the_hash_follows_the_content_and_not_the_layout(tmp_path: Path) -> None:
    plain = load_questions(write(tmp_path / "a.yaml", GOOD))
    commented = tmp_path / "b.yaml"
    commented.write_text("# a comment\n" + (tmp_path / "a.yaml").read_text(), encoding="utf-8")
    assert load_questions(commented).content_hash == plain.content_hash
    hashes = {
        load_questions(write(tmp_path / "c.yaml", GOOD | change)).content_hash
        for change in ({"gold": ["SELECT 2"]}, {"scale": True}, {"ordered": True}, {"question": "How much?"})
    }
    assert len(hashes | {plain.content_hash}) == 5
    assert replace(plain, name="other").content_hash != plain.content_hash


@pytest.mark.parametrize(
    ("items", "top", "expected"),
    [
        ([GOOD, GOOD | {"question": "Other?"}], {}, "question 1: its id is used 2 times"),
        ([GOOD, GOOD | {"id": 2, "question": "how MANY?"}], {}, "'how many\\?' is asked 2 times"),
        ([GOOD | {"tier": "trivial"}], {}, "question 1, tier"),
        ([GOOD | {"gold": []}], {}, "question 1: it needs at least one gold"),
        ([GOOD | {"gold": ["SELECT 1", " "]}], {}, "question 1: it needs at least one gold"),
        ([GOOD | {"question": "  "}], {}, "question 1: its text is empty"),
        ([GOOD | {"extra_column": ["x"]}], {}, "question 1, extra_column: Unexpected keyword argument"),
        ([{"tier": "easy", "question": "x", "gold": "SELECT 1"}], {}, "question at place 1, id"),
        ([GOOD | {"years": ["soon"]}], {}, "question 1, years, 0"),
        (["nothing"], {}, "question at place 1"),
        ([], {}, "no questions"),
        ([GOOD], {"author": "me"}, "author: Unexpected keyword argument"),
    ],
)
def test_a_broken_set_says_which_question_and_why(
    tmp_path: Path, items: list[object], top: dict[str, object], expected: str
) -> None:
    with pytest.raises(UsageError, match=expected):
        load_questions(write(tmp_path / "q.yaml", *items, **top))


@pytest.mark.parametrize(("text", "expected"), [("questions: [", "no valid YAML"), ("- 1", "q.yaml: "), ("", "q.yaml")])
def test_a_file_that_is_no_question_set_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "q.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=expected):
        load_questions(tmp_path / "q.yaml")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load_questions(tmp_path / "none.yaml")


def test_many_faults_are_cut_with_their_number(tmp_path: Path) -> None:
    items = [GOOD | {"id": n, "question": f"Number {n}?", "tier": "no"} for n in range(12)]
    with pytest.raises(UsageError, match="and 4 more"):
        load_questions(write(tmp_path / "q.yaml", *items))
