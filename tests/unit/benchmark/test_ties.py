"""Which order and which cut of a gold leave other results as right as its own."""

import pytest

from agent.benchmark.comparator import Table
from agent.benchmark.gold import make_gold
from agent.benchmark.scoring import Marking, judge_result
from agent.benchmark.ties import read_ordering, tied_alternatives

# SQL, position of the measure it sorts by, LIMIT, whether there is something to look ahead for.
ORDERINGS = [
    ("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n DESC, a LIMIT 5", 1, 5, True),
    ("SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 3", 1, 3, True),
    ("SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY 2 DESC LIMIT 3", 1, 3, True),
    ("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n DESC, a", 1, None, False),
    ("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY a", None, None, False),
    ("SELECT a FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 3", None, 3, False),
    ("SELECT DISTINCT a FROM t ORDER BY a LIMIT 3", None, 3, False),
    ("WITH c AS (SELECT a, SUM(b) AS n FROM t GROUP BY a) SELECT a, n FROM c ORDER BY n DESC LIMIT 2", 1, 2, True),
    ("SELECT a FROM t", None, None, False),
]


@pytest.mark.parametrize(("sql", "column", "limit", "ahead"), ORDERINGS)
def test_read_ordering(sql, column, limit, ahead):
    ordering = read_ordering(sql)
    assert (ordering.tie_column, ordering.limit, ordering.look_ahead_sql is not None) == (column, limit, ahead)


def test_look_ahead_keeps_the_functions_as_written():
    sql = "SELECT DATE_PART('year', d) AS y, COUNT(*) AS n FROM t GROUP BY 1 ORDER BY n DESC LIMIT 5"
    ahead = read_ordering(sql).look_ahead_sql
    assert "DATE_PART('year', d)" in ahead
    assert ahead.endswith("LIMIT 55")


TOP = [("A", 9), ("B", 5), ("C", 5)]
# rows beyond the limit, number of alternatives besides the gold
CUTS = [([("D", 4)], 0), ([("D", 5)], 2), ([("D", 5), ("E", 5), ("F", 4)], 5), ([], 0)]


@pytest.mark.parametrize(("beyond", "others"), CUTS)
def test_tied_alternatives(beyond, others):
    table = Table(("a", "n"), TOP)
    found = tied_alternatives(table, Table(("a", "n"), [*TOP, *beyond]), column=1)
    assert found[0] is table
    assert len(found) == 1 + others
    assert all(len(alternative.rows) == 3 and alternative.rows[0] == ("A", 9) for alternative in found)


MARKING = Marking(ordered=True, extra_columns=("n",), scale=False)
# what the agent gave, and whether the default reading takes it
TIED_ANSWERS = [
    ([("A", 9), ("B", 5), ("C", 5)], True),
    ([("A", 9), ("C", 5), ("B", 5)], True),
    ([("A", 9), ("D", 5), ("B", 5)], True),
    ([("A", 9), ("E", 4), ("B", 5)], False),
    ([("B", 5), ("A", 9), ("C", 5)], False),
    ([("A",), ("B",), ("C",)], True),
    ([("A",), ("D",), ("C",)], True),
    ([("A",), ("B",)], False),
]


@pytest.mark.parametrize(("rows", "right"), TIED_ANSWERS)
def test_answers_that_cut_a_tie_otherwise(rows, right):
    ahead = Table(("a", "n"), [*TOP, ("D", 5), ("E", 4)])
    gold = make_gold(Table(("a", "n"), TOP), ahead=ahead, tie_column=1, extra_columns=("n",))
    got = Table(("name", "count")[: len(rows[0])], rows)
    verdicts = judge_result(got, [gold], marking=MARKING, truncated=False, robust=None)
    assert verdicts.ex_default is right


def test_a_cut_result_is_never_right():
    gold = make_gold(Table(("a", "n"), TOP), ahead=None, tie_column=1, extra_columns=())
    verdicts = judge_result(Table(("a", "n"), TOP), [gold], marking=MARKING, truncated=True, robust=True)
    assert not any((verdicts.em, verdicts.ex_strict, verdicts.ex_default, verdicts.ex_lenient, verdicts.ex_robust))


def test_any_accepted_gold_counts():
    golds = [make_gold(Table(("a",), rows), ahead=None, tie_column=None, extra_columns=()) for rows in ([(1,)], [(2,)])]
    marking = Marking(ordered=False, extra_columns=(), scale=False)
    assert judge_result(Table(("x",), [(2,)]), golds, marking=marking, truncated=False, robust=None).ex_strict
    assert not judge_result(Table(("x",), [(3,)]), golds, marking=marking, truncated=False, robust=None).ex_lenient
