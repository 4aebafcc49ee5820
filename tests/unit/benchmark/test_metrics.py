"""The figures of a run from hand-made answers: what is in each denominator."""

from datetime import date, datetime
from decimal import Decimal

import pytest

from agent.benchmark.answer import Answer
from agent.benchmark.codec import decode_table, encode_table, table_digest
from agent.benchmark.comparator import Table
from agent.benchmark.metrics import arm_metrics


def answer(number, outcome, **fields):
    right = outcome == "correct"
    verdicts = {} if outcome not in ("correct", "wrong", "undetermined") else {"ex_default": right, "em": right}
    defaults = {"tier": "easy", "sql": None, "answer": "", "row_count": None, "ms": 10.0, "verdicts": verdicts}
    return Answer(question_id=number, outcome=outcome, **{**defaults, **fields})


ANSWERS = [
    answer(1, "correct", exact_copy=True, tokens_in=80, tokens_out=5),
    answer(2, "correct", tier="hard", unsupported_numbers=("7",)),
    answer(3, "wrong", exact_copy=False),
    answer(4, "no_query", failure_kind="out_of_scope", ms=20.0),
    answer(5, "invalid", tier="hard", failure_kind="invalid"),
    answer(6, "refused", failure_kind="refused"),
    answer(7, "undetermined"),
    answer(8, "infrastructure", failure_kind="infrastructure", ms=999.0),
]


def test_denominators():
    figures = arm_metrics(ANSWERS)
    assert figures["scored"] == 8
    assert figures["vsr"] == pytest.approx(4 / 7)
    assert figures["ex_default"] == pytest.approx(2 / 6)
    assert figures["numbers_supported"] == pytest.approx(3 / 4)
    assert figures["false_rejects"] == pytest.approx(1 / 7)
    assert figures["exact_copies"] == 0.5
    assert (figures["ex"], figures["sq"]) == (None, None)
    assert figures["weighted_tokens"] == 15
    assert figures["p95_ms"] == 20.0
    assert {tier: part["scored"] for tier, part in figures["by_tier"].items()} == {"easy": 6, "hard": 2}
    assert figures["failures"] == {"out_of_scope": 1, "invalid": 1, "refused": 1, "infrastructure": 1}


def test_an_outage_changes_no_accuracy_figure():
    outage = [answer(100 + n, "infrastructure") for n in range(5)]
    before, after = arm_metrics(ANSWERS), arm_metrics([*ANSWERS, *outage])
    for name in ("vsr", "em", "ex_default", "intervals", "p50_ms", "p95_ms", "numbers_supported"):
        assert before[name] == after[name]


def test_nothing_answered_gives_no_rate():
    figures = arm_metrics([answer(1, "infrastructure")])
    assert (figures["vsr"], figures["ex_default"], figures["intervals"]) == (None, None, {"ex_default": None})


def test_stored_tables_keep_their_types():
    rows = [(1, 1.5, Decimal("1.50"), "x", True, None, date(2024, 1, 1), datetime(2024, 1, 1, 5)), (2,) + (None,) * 7]
    table = Table(tuple("abcdefgh"), rows)
    again = decode_table(encode_table(table))
    assert again == table
    assert [type(cell) for cell in again.rows[0]] == [type(cell) for cell in rows[0]]


def test_digest_counts_contents_and_not_order():
    table, turned = Table(("a",), [(1,), (2,)]), Table(("b",), [(2,), (1,)])
    assert table_digest(table) == table_digest(turned)
    assert table_digest(table) != table_digest(Table(("a",), [(1,), (1,)]))
