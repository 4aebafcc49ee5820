"""EM and strict JSON match.

EM as the paper defines it: columns by position, a bag of rows, text case-folded with white space collapsed, numbers
half-up to two decimals. Strict JSON match: the same rows in the same order, cell by cell, as JSON texts.
"""

import json
from collections import Counter
from decimal import ROUND_HALF_UP, Context, Decimal

from agent.benchmark.cells import Key, cell_key
from agent.benchmark.comparator import Table

CENT = Decimal("0.01")
WIDE = Context(prec=400)


def exact_match(gold: Table, got: Table) -> bool:
    """Whether the two results are equal in the paper's sense."""
    if len(gold.columns) != len(got.columns) or len(gold.rows) != len(got.rows):
        return False
    return _bag(gold) == _bag(got)


def json_match(gold: Table, got: Table) -> bool:
    """Whether the rows are the same JSON, order included; column names do not count."""
    return _json(gold) == _json(got)


def _bag(table: Table) -> Counter[tuple[Key, ...]]:
    return Counter(tuple(_em_key(cell) for cell in row) for row in table.rows)


def _em_key(value: object) -> Key:
    kind, key = cell_key(value, text_case=False)
    if kind == "text":
        return kind, " ".join(str(key).split())
    if isinstance(key, Decimal):
        return kind, key.quantize(CENT, rounding=ROUND_HALF_UP, context=WIDE).normalize(WIDE)
    return kind, key


def _json(table: Table) -> str:
    return json.dumps([list(row) for row in table.rows], default=str)
