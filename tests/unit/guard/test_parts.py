import pickle

import pytest
import sqlglot
from sqlglot import exp

from agent.guard import GuardRefusal, QueryFailed, QueryTimeout
from agent.guard.dialect import DIALECT
from agent.guard.escapes import decode_escapes
from agent.guard.names import folded
from agent.guard.plan import check_plan, read_plan
from agent.guard.tables import real_tables


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("E''", ""),
        (r"E'a\'b'", "a'b"),
        ("e'a''b'", "a'b"),
        (r"E'\\x41'", r"\x41"),
        (r"E'\x41\101\u0042\U00000043'", "AABC"),
        (r"E'\n\t\q'", "\n\tq"),
        (r"E'\\\''", "\\'"),
        ("E'line\nbreak'", "line\nbreak"),
    ],
)
def test_escapes(source: str, value: str) -> None:
    assert decode_escapes(source) == value


@pytest.mark.parametrize("source", ["'x'", "E'", r"E'\xC3'", r"E'\0'", r"E'\uD800'", r"E'\U00110000'", "N'x'"])
def test_escapes_that_are_refused(source: str) -> None:
    with pytest.raises(ValueError, match="escape"):
        decode_escapes(source)


@pytest.mark.parametrize(
    ("sql", "name"),
    [("PG_Locks", "pg_locks"), ('"PG_Locks"', "PG_Locks"), ("pg_loc\u212as", "pg_loc\u212as"), ("\u0130x", "\u0130x")],
)
def test_names_fold_as_in_postgres(sql: str, name: str) -> None:
    assert folded(sqlglot.parse_one(sql, dialect=DIALECT, into=exp.Identifier)) == name


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM a, b JOIN c ON (SELECT true FROM d)", ["a", "b", "c", "d"]),
        ("SELECT * FROM generate_series(1, 2) g, LATERAL (SELECT * FROM a) x", ["a"]),
        ("WITH a AS (SELECT * FROM b) SELECT * FROM a ORDER BY (SELECT 1 FROM c) LIMIT (SELECT 1 FROM d)", list("bcd")),
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),
        ("WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT 1 FROM a) SELECT * FROM a", []),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a, c), c AS (SELECT 2) SELECT * FROM b, c", ["c"]),
        ("SELECT (WITH a AS (SELECT 1) SELECT * FROM a), (SELECT 1 FROM a)", ["a"]),
        ("WITH a AS (SELECT 1) SELECT 1 FROM a UNION SELECT 1 FROM a", []),
        ("SELECT 1 FROM s.a", ["a"]),
        ("WITH a AS (SELECT 1) SELECT 1 FROM s.a", ["a"]),
    ],
)
def test_real_tables(sql: str, names: list[str]) -> None:
    tree = sqlglot.parse_one(sql, dialect=DIALECT)
    assert sorted(table.name for table in real_tables(tree)) == names


@pytest.mark.parametrize(
    "error",
    [
        GuardRefusal("seen", expected="what", action="do", rule="table"),
        QueryFailed("no column", sqlstate="42703", hint="try", position=3),
        QueryTimeout("late", sqlstate="57014"),
    ],
)
def test_errors_survive_another_process(error: GuardRefusal | QueryFailed) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def plan_of(**node: object) -> list[dict[str, object]]:
    inner = {"Node Type": "Seq Scan", "Schema": "s", "Relation Name": "t", "Total Cost": 5.0, **node}
    return [{"Plan": {"Node Type": "Limit", "Total Cost": 10.0, "Plans": [inner]}}]


@pytest.mark.parametrize(
    ("node", "rule"),
    [
        ({}, None),
        ({"Output": ["count(*)", '"left"(a, 2)', "'pg_sleep(1)'::text", "(a = ANY ('{1,2}'::integer[]))"]}, None),
        ({"Filter": "(a ~ 'it''s pg_sleep (2)'::text)"}, None),
        ({"Schema": "pg_catalog", "Relation Name": "pg_authid"}, "plan_relation"),
        ({"Schema": "other"}, "plan_relation"),
        ({"Relation Name": "secret"}, "plan_relation"),
        ({"Function Name": "pg_show_all_settings"}, "plan_function"),
        ({"Output": ["pg_sleep('1'::double precision)"]}, "plan_function"),
        ({"Filter": '("pg_sleep" (1) IS NULL)'}, "plan_function"),
        ({"Sort Key": ["app.bump()"]}, "plan_function"),
    ],
)
def test_plan_is_judged(node: dict[str, object], rule: str | None) -> None:
    plan = read_plan(plan_of(**node))
    if rule is None:
        check_plan(plan, schema="s", tables=frozenset({"t"}), max_cost=100)
        return
    with pytest.raises(GuardRefusal) as refusal:
        check_plan(plan, schema="s", tables=frozenset({"t"}), max_cost=100)
    assert refusal.value.rule == rule


def test_cost_is_that_of_the_whole_plan() -> None:
    plan = read_plan(plan_of())
    assert plan.cost == 10.0
    with pytest.raises(GuardRefusal, match="estimated cost of 10"):
        check_plan(plan, schema="s", tables=frozenset({"t"}), max_cost=9)
