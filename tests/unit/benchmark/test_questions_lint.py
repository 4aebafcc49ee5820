import pytest

from agent.benchmark.gold_lint import lint_gold
from agent.benchmark.questions import Question, load_questions
from agent.guard import check_sql


def faults(sql: str, **fields: object) -> tuple[str, ...]:
    return lint_gold(Question(id=7, tier="easy", question="?", gold=(sql,), **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize("question", load_questions().questions, ids=lambda question: str(question.id))
def test_every_gold_of_the_hundred_is_clean_and_passes_the_guard(question: Question) -> None:
    assert lint_gold(question) == ()
    for sql in question.gold:
        check_sql(sql)


@pytest.mark.parametrize(
    ("sql", "fields", "expected"),
    [
        ("SELECT FROM WHERE", {}, "does not parse"),
        ("SELECT COUNT(*) FROM crime_incidents WHERE \"BEAT\" = 'x", {}, "does not parse"),
        ("DELETE FROM ward_names", {}, "not one SELECT"),
        ("SELECT 1; SELECT 2", {}, "not one SELECT"),
        ("SELECT * FROM public.ward_names", {}, "none of crime_incidents"),
        ("SELECT * FROM wards", {}, "none of crime_incidents"),
        ("SELECT CRIME_TYPE FROM crime_incidents", {}, "does not resolve"),
        ('SELECT d.name FROM district_names d', {}, "does not resolve"),
        ('SELECT COUNT(*) FROM crime_incidents WHERE "INCIDENT_DATE" < now()', {}, "not the same on every run"),
        ('SELECT COUNT(*) FROM crime_incidents WHERE "INCIDENT_DATE" < CURRENT_DATE', {}, "not the same on every run"),
        ("SELECT STRING_AGG(ward_name, ',') FROM ward_names", {}, "not the same on every run"),
        ('SELECT AVG("LATITUDE") FROM crime_incidents', {}, "adds floating point"),
        ('SELECT SUM(c."X_COORDINATE") FROM crime_incidents c', {}, "adds floating point"),
        ('SELECT "BEAT" FROM crime_incidents ORDER BY "BEAT" LIMIT 3', {}, "cut through ties"),
        ('WITH a AS (SELECT "ID" FROM crime_incidents LIMIT 3) SELECT COUNT(*) FROM a', {}, "cut through ties"),
        ("SELECT ward_name FROM ward_names", {"ordered": True}, "the gold has none"),
        ("SELECT ward_name FROM ward_names ORDER BY ward_id", {}, "does not ask for it"),
        ("SELECT ward_name FROM ward_names", {"extra_columns": ("ward_id",)}, "does not return: ward_id"),
        ("SELECT ward_id FROM ward_names", {"extra_columns": ("ward_id",)}, "all of its columns are extra"),
        ("SELECT ward_id, ward_id FROM ward_names", {}, "same name"),
    ],
)  # fmt: skip
def test_a_fault_is_named(sql: str, fields: dict[str, object], expected: str) -> None:
    found = faults(sql, **fields)
    assert len(found) == 1
    assert found[0].startswith("question 7, gold 1: ")
    assert expected in found[0]


@pytest.mark.parametrize(
    ("sql", "fields"),
    [
        ('SELECT AVG("LATITUDE"::numeric) AS mean FROM crime_incidents', {}),
        ('SELECT AVG("HOUR") AS mean FROM crime_incidents', {}),
        ('SELECT "BEAT", COUNT(*) FROM crime_incidents GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3', {}),
        ("SELECT ward_name FROM ward_names ORDER BY ward_name", {"ordered": True}),
        ("SELECT ward_id FROM ward_names EXCEPT SELECT district_id FROM district_names", {}),
    ],
)
def test_a_sound_gold_has_no_fault(sql: str, fields: dict[str, object]) -> None:
    assert faults(sql, **fields) == ()


def test_each_gold_is_named_by_its_number() -> None:
    question = Question(id=9, tier="easy", question="?", gold=("SELECT 1 AS a", "SELECT now() AS a"))
    assert [fault.split(":")[0] for fault in lint_gold(question)] == ["question 9, gold 2"]
