"""The pure part: what is refused without a server, how fast, and what text would run."""

import sys
import threading
import time

import pytest
import yaml

from agent.guard import GuardRefusal, check_sql
from include.settings import PROJECT_ROOT

FIXTURES = PROJECT_ROOT / "tests" / "fixtures" / "guard"
ATTACKS = yaml.safe_load((FIXTURES / "attacks.yaml").read_text())
BENIGN = (FIXTURES / "benign.sql").read_text().splitlines()
BY_THE_PLAN = {"cost", "plan_function", "plan_relation"}
REFUSED = [attack for attack in ATTACKS if attack["verdict"] == "refused" and attack["rule"] not in BY_THE_PLAN]


def rule_of(sql: str) -> str | None:
    try:
        check_sql(sql)
    except GuardRefusal as refusal:
        return refusal.rule
    return None


@pytest.mark.parametrize("attack", REFUSED, ids=lambda attack: attack["id"])
def test_attack_is_refused_without_a_server(attack: dict[str, str]) -> None:
    assert rule_of(attack["sql"]) == attack["rule"]


@pytest.mark.parametrize("sql", BENIGN)
def test_what_runs_is_checked_again_and_stays_as_it_is(sql: str) -> None:
    rendered = check_sql(sql).render("snap_x")
    unqualified = rendered.replace('"snap_x".', "")
    again = check_sql(unqualified).render("snap_x")
    # SOME becomes `ANY(`, and `ANY(` becomes `ANY (`.
    assert again.replace("ANY (", "ANY(") == rendered.replace("ANY (", "ANY(")
    assert "--" not in rendered
    assert "/*" not in rendered


@pytest.mark.parametrize(
    ("sql", "rendered"),
    [
        (
            "WITH crime_incidents AS (SELECT * FROM crime_incidents) SELECT * FROM crime_incidents",
            'WITH crime_incidents AS (SELECT * FROM "s".crime_incidents) SELECT * FROM crime_incidents',
        ),
        (
            "WITH RECURSIVE ward_names AS (SELECT 1 UNION SELECT 2 FROM ward_names) SELECT 1 FROM WARD_NAMES",
            "WITH RECURSIVE ward_names AS (SELECT 1 UNION SELECT 2 FROM ward_names) SELECT 1 FROM WARD_NAMES",
        ),
        (
            "WITH a AS (SELECT 1 FROM ward_names), ward_names AS (SELECT 2) SELECT * FROM a, ward_names",
            'WITH a AS (SELECT 1 FROM "s".ward_names), ward_names AS (SELECT 2) SELECT * FROM a, ward_names',
        ),
        (
            'WITH "WARD_NAMES" AS (SELECT 2) SELECT * FROM WARD_NAMES, "WARD_NAMES"',
            'WITH "WARD_NAMES" AS (SELECT 2) SELECT * FROM "s".WARD_NAMES, "WARD_NAMES"',
        ),
        (
            "SELECT 1 FROM (WITH ward_names AS (SELECT 1) SELECT * FROM ward_names) t, ward_names",
            'SELECT 1 FROM (WITH ward_names AS (SELECT 1) SELECT * FROM ward_names) AS t, "s".ward_names',
        ),
        (
            "(WITH ward_names AS (SELECT 1) SELECT * FROM ward_names) UNION SELECT ward_id FROM ward_names",
            '(WITH ward_names AS (SELECT 1) SELECT * FROM ward_names) UNION SELECT ward_id FROM "s".ward_names',
        ),
        ("SELECT DATE_PART('hour', x), Log10(2), 2 ^ 3", "SELECT DATE_PART('hour', x), Log10(2), 2 ^ 3"),
    ],
)
def test_only_real_tables_are_qualified(sql: str, rendered: str) -> None:
    assert check_sql(sql).render("s") == rendered


def test_public_is_removed_and_positions_stay() -> None:
    sql = 'SELECT public.ward_names.ward_id FROM "public" . ward_names, PUBLIC./* x */WARD_NAMES AS w WHERE x'
    checked = check_sql(sql)
    assert len(checked.sql) == len(sql)
    assert checked.sql.index("WHERE x") == sql.index("WHERE x")
    assert "public" not in checked.sql.lower()
    assert checked.relations == ("ward_names",)


def test_tables_are_a_parameter() -> None:
    assert check_sql("SELECT * FROM Other", tables=frozenset({"other"})).relations == ("other",)
    with pytest.raises(GuardRefusal, match="ward_names"):
        check_sql("SELECT * FROM ward_names", tables=frozenset({"other"}))


def nested(opening: str, closing: str, depth: int) -> str:
    return f"SELECT {opening * depth}1{closing * depth}"


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT '" + "x" * 1_000_000 + "'", id="1 MB text"),
        pytest.param("SELECT " + "\\" * 19_000, id="backslashes"),
        pytest.param("SELECT " + "/*" * 9_000, id="open comments"),
        pytest.param("SELECT " + '"' * 9_001, id="quotes"),
        pytest.param("SELECT " + "U&'\\0041' " * 1_500, id="unicode escapes"),
        pytest.param("SELECT " + "$a$" * 5_001, id="dollars"),
        pytest.param(nested("ARRAY[", "]", 30), id="arrays"),
        pytest.param(nested("(int ", ")", 30), id="types"),
        pytest.param(nested("(", ")", 5_000), id="parentheses"),
        pytest.param(nested("(SELECT ", ")", 33), id="sub-queries"),
        pytest.param(nested("CASE WHEN 1 THEN ", " END", 400), id="cases"),
        pytest.param(nested("NOT ", "", 4_000), id="nots"),
        pytest.param(nested("- ", "", 4_000), id="minuses"),
        pytest.param("SELECT a" + "::int" * 2_000, id="casts"),
        pytest.param("SELECT a" + "[1]" * 1_500, id="subscripts"),
        pytest.param("SELECT a" + ".a" * 2_000, id="dots"),
        pytest.param("SELECT " + "+".join(["1"] * 2_400), id="sum"),
        pytest.param("SELECT " + "||".join(["''"] * 2_400), id="concatenation"),
        pytest.param(" UNION ".join(["SELECT 1"] * 1_200), id="unions"),
        pytest.param("SELECT * FROM " + "(SELECT * FROM " * 30 + "t" + ") x" * 30, id="derived tables"),
        pytest.param("SELECT " + "interval " * 2_000 + "'1'", id="intervals"),
        pytest.param("SELECT 1 FROM ward_names " + "JOIN ward_names ON (int '1') " * 700, id="joins"),
    ],
)
def test_hostile_text_is_judged_in_bounded_time(sql: str) -> None:
    started = time.perf_counter()
    assert rule_of(sql) is not None
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM ward_names WHERE ward_id IN (" + ", ".join(map(str, range(2_000))) + ")",
        "SELECT 1 FROM ward_names WHERE " + " OR ".join(f"ward_id = {n}" for n in range(150)),
        nested("(", ")", 25),
        nested("coalesce(", ", 0)", 25),
    ],
)
def test_long_but_plain_text_passes(sql: str) -> None:
    check_sql(sql).render("s")


def test_verdict_does_not_depend_on_the_depth_of_the_caller() -> None:
    sql = nested("(SELECT ", ")", 20)
    verdicts: list[str | None] = []

    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
        else:
            verdicts.append(rule_of(sql))

    thread = threading.Thread(target=deep, args=(sys.getrecursionlimit() // 3,))
    thread.start()
    thread.join()
    assert verdicts == [rule_of(sql)] == [None]


@pytest.mark.parametrize("text", ["SELECT '\ud800'", "SELECT '\0'"])
def test_text_that_no_server_stores_is_refused(text: str) -> None:
    assert rule_of(text) == "literal"


def test_check_takes_a_few_milliseconds() -> None:
    sql = BENIGN[13]
    times = []
    for _ in range(30):
        started = time.process_time()
        check_sql(sql).render("s")
        times.append(time.process_time() - started)
    assert sorted(times)[15] < 0.005
