import pytest

from agent.benchmark.questions import Question, QuestionSet, load_questions
from agent.benchmark.variety import constructs, measure_variety, names_otherwise, opening, skeleton


def ask(text: str, gold: str, **fields: object) -> Question:
    return Question(id=1, tier="easy", question=text, gold=(gold,), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('SELECT COUNT(*) AS n FROM crime_incidents WHERE "YEAR" = 2016',
         'SELECT COUNT(*) AS crimes FROM crime_incidents WHERE "YEAR" = 2017', True),
        ('SELECT COUNT(*) FROM crime_incidents c WHERE c."YEAR" = 1',
         'SELECT COUNT(*) FROM crime_incidents x WHERE x."YEAR" = 1', True),
        ('SELECT COUNT(*) FROM crime_incidents WHERE "YEAR" = 2016',
         'SELECT COUNT(*) FROM crime_incidents WHERE "MONTH" = 2016', False),
        ('SELECT COUNT(*) FROM crime_incidents WHERE "YEAR" = 2016',
         'SELECT COUNT(*) FROM crime_incidents WHERE "YEAR" > 2016', False),
        ("SELECT ward_name FROM ward_names", "SELECT district_name FROM district_names", False),
    ],
)  # fmt: skip
def test_a_skeleton_ignores_literals_and_own_names_only(one: str, other: str, same: bool) -> None:
    assert (skeleton(one) == skeleton(other)) is same


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", set()),
        ("WITH a AS (SELECT 1 AS x) SELECT x FROM a", {"cte"}),
        ("WITH a AS (SELECT 1 AS x) SELECT l.x FROM a l JOIN a r ON l.x < r.x", {"cte", "self-join"}),
        ("SELECT a FROM t JOIN u ON t.x = u.x", set()),
        ("SELECT a FROM t WHERE a IN (SELECT b FROM u)", {"subquery"}),
        ("SELECT a FROM (SELECT RANK() OVER (ORDER BY x) AS a FROM t) AS r", {"subquery", "window"}),
        ("SELECT a FROM t EXCEPT SELECT b FROM t", {"set operation"}),
        ("SELECT a FROM t WHERE a > (SELECT AVG(b) FROM t)", {"subquery"}),
    ],
)
def test_constructs_of_hard_golds(sql: str, expected: set[str]) -> None:
    assert constructs(sql) == expected


@pytest.mark.parametrize(
    ("text", "gold", "otherwise"),
    [
        ("How many car thefts?", "SELECT 1 FROM t WHERE a = 'MOTOR VEHICLE THEFT'", True),
        ("How many thefts?", "SELECT 1 FROM t WHERE a = 'THEFT'", True),
        ("How many cases of theft?", "SELECT 1 FROM t WHERE a = 'THEFT'", False),
        ("On Michigan Avenue?", "SELECT 1 FROM t WHERE a LIKE '%MICHIGAN AVE%'", True),
        ("In July 2016?", "SELECT 1 FROM t WHERE y = 2016 AND m = 7", True),
        ("In 2016?", "SELECT ROUND(100.0 * x, 2) FROM t WHERE y = 2016 LIMIT 5", False),
    ],
)
def test_a_value_is_named_otherwise_when_the_text_lacks_it(text: str, gold: str, otherwise: bool) -> None:
    assert names_otherwise(ask(text, gold)) is otherwise


def test_an_opening_is_two_words_without_case_and_signs() -> None:
    assert opening("Top 10: areas") == opening("top 10 wards") == "top 10"


def test_the_figures_count_each_question_once() -> None:
    first = ask("How many robberies?", 'SELECT COUNT(*) FROM crime_incidents WHERE "YEAR" = 1', tags=("renamed",))
    second = Question(id=2, tier="hard", question="How many?", gold=("SELECT 2",), tags=("verbless",), reserved=True)
    figures = measure_variety(QuestionSet(name="s", version=1, questions=(first, second)))
    assert (figures.questions, figures.tiers, figures.reserved) == (2, {"easy": 1, "hard": 1}, {"hard": 1})
    assert (figures.skeletons, figures.openings[0]) == (2, ("how many", 2))
    assert (figures.without_question, figures.renamed, figures.constructs) == (1, 1, {2: frozenset()})


def test_the_hundred_are_as_varied_as_promised() -> None:
    figures = measure_variety(load_questions())
    assert figures.tiers == {"easy": 30, "medium": 40, "hard": 30}
    assert figures.skeletons >= 60
    assert figures.openings[0][1] <= 15
    assert figures.without_question >= 20
    assert figures.renamed >= 30
    assert all(len(found) >= 2 for found in figures.constructs.values())
