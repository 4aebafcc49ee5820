"""The comparator: the case matrix of public comparators with each reading's verdict, and what must never matter."""

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.benchmark.comparator import READINGS, Table, reading_rules, tables_equal
from agent.benchmark.exact_match import exact_match, json_match

A = [("THEFT", 3), ("ROBBERY", 2), ("ARSON", 1)]


def table(rows, columns=None):
    width = len(rows[0]) if rows else 2
    return Table(columns=tuple(columns or (f"c{n}" for n in range(width))), rows=rows)


# case, gold, got, question fields, expected (strict, default, lenient, em)
MATRIX = [
    ("same", A, A, {}, (1, 1, 1, 1)),
    ("rows swapped, ordered", A, [A[1], A[0], A[2]], {"ordered": True}, (0, 0, 0, 1)),
    ("rows swapped, not ordered", A, [A[1], A[0], A[2]], {}, (1, 1, 1, 1)),
    ("columns swapped", A, [(n, t) for t, n in A], {}, (1, 1, 1, 0)),
    ("missing column", A, [(t,) for t, _ in A], {}, (0, 0, 0, 0)),
    ("a row repeated", A, [*A, A[0]], {}, (0, 0, 0, 0)),
    ("a row repeated in place of another", [*A, A[1]], [*A, A[0]], {}, (0, 0, 0, 0)),
    ("values paired with the wrong key", A, [("THEFT", 2), ("ROBBERY", 3), ("ARSON", 1)], {}, (0, 0, 0, 0)),
    ("33.33 and 33.333333", [(Decimal("33.33"),)], [(Decimal("33.333333"),)], {}, (0, 1, 1, 1)),
    ("33.33 and 33.3", [(Decimal("33.33"),)], [(Decimal("33.3"),)], {}, (0, 0, 1, 0)),
    ("0.2007 and 0.20068", [(0.2007,)], [(0.20068,)], {}, (0, 1, 1, 1)),
    ("0.2007 and 0.2030", [(0.2007,)], [(0.2030,)], {}, (0, 0, 0, 1)),
    ("0.1 + 0.2 and 0.3", [(0.1 + 0.2,)], [(0.3,)], {}, (0, 1, 1, 1)),
    ("5 and 5.0", [(5,)], [(5.0,)], {}, (1, 1, 1, 1)),
    ("a count and a near fraction", [(5,)], [(5.004,)], {}, (0, 0, 0, 1)),
    ("decimal 0.1 and double 0.1", [(Decimal("0.1"),)], [(0.1,)], {}, (1, 1, 1, 1)),
    ("5 and '5'", [(5,)], [("5",)], {}, (0, 0, 0, 0)),
    ("NULL and 0", [(None,)], [(0,)], {}, (0, 0, 0, 0)),
    ("NULL and NULL", [(None, 1)], [(None, 1)], {}, (1, 1, 1, 1)),
    ("NaN and NaN", [(float("nan"),)], [(float("nan"),)], {}, (1, 1, 1, 1)),
    ("date and midnight", [(date(2024, 1, 1),)], [(datetime(2024, 1, 1),)], {}, (1, 1, 1, 1)),
    ("date and its text", [(date(2024, 1, 1),)], [("2024-01-01",)], {}, (0, 0, 0, 0)),
    ("THEFT and Theft", [("THEFT",)], [("Theft",)], {}, (0, 0, 1, 1)),
    ("percent and share", [(Decimal("25.0"),)], [(Decimal("0.25"),)], {}, (0, 0, 1, 0)),
    ("percent and share, allowed", [(Decimal("25.0"),)], [(Decimal("0.25"),)], {"scale": True}, (0, 1, 1, 0)),
    ("true and 1", [(True,)], [(1,)], {}, (0, 0, 0, 0)),
    ("both empty", [], [], {}, (1, 1, 1, 1)),
    ("one empty", [], A[:1], {}, (0, 0, 0, 0)),
    ("other shape, same cells", [(1, 2, 3, 4)], [(1, 2), (3, 4)], {}, (0, 0, 0, 0)),
    ("ties in any order", [("A", 2), ("B", 2), ("C", 1)], [("B", 2), ("A", 2), ("C", 1)],
     {"ordered": True, "blocks": ((0, 2), (2, 3))}, (0, 1, 1, 1)),
    ("ties do not excuse the rest", [("A", 2), ("B", 2), ("C", 1)], [("C", 1), ("A", 2), ("B", 2)],
     {"ordered": True, "blocks": ((0, 2), (2, 3))}, (0, 0, 0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("case", "gold", "got", "fields", "expected"), MATRIX, ids=[row[0] for row in MATRIX])
def test_matrix(case, gold, got, fields, expected):
    question = {"ordered": False, "blocks": None, "extra_columns": (), "scale": False, **fields}
    verdicts = [tables_equal(table(gold), table(got), rules=reading_rules(name, **question)) for name in READINGS]
    assert (*verdicts, exact_match(table(gold), table(got))) == tuple(bool(v) for v in expected)


EXTRAS = [
    ("extra column not named", (), ("c0", "c1", "id"), (False, False, True)),
    ("extra column named", ("ID",), ("c0", "c1", "id"), (False, True, True)),
    ("another column named", ("rank",), ("c0", "c1", "id"), (False, False, True)),
]


@pytest.mark.parametrize(("case", "named", "columns", "expected"), EXTRAS, ids=[row[0] for row in EXTRAS])
def test_extra_columns(case, named, columns, expected):
    got = Table(columns=columns, rows=[(*row, 100 + n) for n, row in enumerate(A)])
    question = {"ordered": False, "blocks": None, "extra_columns": named, "scale": False}
    assert tuple(tables_equal(table(A), got, rules=reading_rules(name, **question)) for name in READINGS) == expected


def test_json_match_wants_the_order():
    assert json_match(table(A), table(A))
    assert not json_match(table(A), table(A[::-1]))


def test_near_values_are_paired_not_sorted():
    gold = [("A", 1.005, 9.0), ("A", 1.0, 5.0)]
    got = [("A", 1.004, 5.0), ("A", 1.001, 9.0)]
    question = {"ordered": False, "blocks": None, "extra_columns": (), "scale": False}
    assert tables_equal(table(gold), table(got), rules=reading_rules("default", **question))


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(-50, 50), st.sampled_from(["THEFT", "Theft", ""]),
    st.decimals(-100, 100, places=2), st.dates(date(2020, 1, 1), date(2020, 1, 9)),
)  # fmt: skip
ROWS = st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), max_size=6))
PLAIN = {"ordered": False, "blocks": None, "extra_columns": (), "scale": False}


@given(ROWS, st.randoms())
def test_row_and_column_order_and_names_never_matter(rows, random):
    width = len(rows[0]) if rows else 2
    order = random.sample(range(width), width)
    moved = [tuple(row[n] for n in order) for row in random.sample(rows, len(rows))]
    got = Table(columns=tuple(f"other{n}" for n in range(width)), rows=moved)
    for name in READINGS:
        assert tables_equal(table(rows), got, rules=reading_rules(name, **PLAIN))


@given(ROWS, ROWS)
def test_strict_is_symmetric_and_each_reading_allows_more(left, right):
    strict, default, lenient = (
        tables_equal(table(left), table(right), rules=reading_rules(name, **PLAIN)) for name in READINGS
    )
    assert strict == tables_equal(table(right), table(left), rules=reading_rules("strict", **PLAIN))
    assert strict <= default <= lenient
