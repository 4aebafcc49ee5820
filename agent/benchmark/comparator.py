"""Whether a result answers as the gold does: one column mapping is found first, then whole rows are compared under it.

Public comparators that sort columns apart pair values with the wrong key, and those that compare sets lose duplicates;
here rows stay whole and duplicates count. The readings (strict, default, lenient) are named settings of the rules.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice
from typing import Literal

from agent.benchmark.cells import Key, Tolerance, cell_key, numbers_equal

Reading = Literal["strict", "default", "lenient"]
Rows = Sequence[Sequence[object]]
Blocks = tuple[tuple[int, int], ...]
READINGS: tuple[Reading, ...] = ("strict", "default", "lenient")
MAX_MAPPINGS = 2_000
HUNDRED = Decimal(100)


@dataclass(frozen=True)
class Table:
    """A result: column names and rows."""

    columns: tuple[str, ...]
    rows: Rows


@dataclass(frozen=True)
class Rules:
    """What a reading allows.

    Attributes:
        ordered: rows must come in the gold's order.
        blocks: runs of gold rows (from, to) that tie in what they are sorted by and may come in any order among
            themselves; None when no two rows tie.
        extra: names of extra columns allowed; None = any.
        scale: a share may be given as a percent and the other way round.
        tolerance: how far cells may differ.
    """

    ordered: bool = False
    blocks: Blocks | None = None
    extra: frozenset[str] | None = frozenset()
    scale: bool = False
    tolerance: Tolerance = field(default_factory=Tolerance)


def reading_rules(
    reading: Reading, *, ordered: bool, blocks: Blocks | None, extra_columns: Sequence[str], scale: bool
) -> Rules:
    """Return the rules of a reading for one question (design section 7)."""
    if reading == "strict":
        return Rules(ordered=ordered)
    tolerant = Rules(
        ordered=ordered,
        blocks=blocks,
        extra=frozenset(name.casefold() for name in extra_columns),
        scale=scale,
        tolerance=Tolerance(percent=Decimal("0.01"), share=Decimal("0.0001")),
    )
    if reading == "default":
        return tolerant
    one_decimal = Tolerance(percent=Decimal("0.05"), share=Decimal("0.0005"), text_case=False)
    return replace(tolerant, extra=None, scale=True, tolerance=one_decimal)


def tables_equal(gold: Table, got: Table, *, rules: Rules) -> bool:
    """Whether `got` answers as `gold` does under the rules."""
    if len(gold.rows) != len(got.rows) or not _width_fits(gold, got, rules=rules):
        return False
    gold_columns = _columns(gold, text_case=rules.tolerance.text_case)
    got_columns = _columns(got, text_case=rules.tolerance.text_case)
    allowed = [
        _allowed([row[n] for row in gold.rows], column, tolerance=rules.tolerance)
        for n, column in enumerate(gold_columns)
    ]
    for mapping in islice(_mappings(gold_columns, got_columns, allowed=allowed, scale=rules.scale), MAX_MAPPINGS):
        mapped = [_scaled(got_columns[column], scale) for column, scale in mapping]
        if _extras_fit(got, used={column for column, _ in mapping}, rules=rules) and _rows_equal(
            gold_columns, mapped, allowed=allowed, rules=rules
        ):
            return True
    return False


def _width_fits(gold: Table, got: Table, *, rules: Rules) -> bool:
    spare = len(got.columns) - len(gold.columns)
    return spare == 0 or (spare > 0 and (rules.extra is None or spare <= len(rules.extra)))


def _extras_fit(got: Table, *, used: set[int], rules: Rules) -> bool:
    if rules.extra is None:
        return True
    return all(name.casefold() in rules.extra for n, name in enumerate(got.columns) if n not in used)


def _columns(table: Table, *, text_case: bool) -> list[list[Key]]:
    return [[cell_key(row[n], text_case=text_case) for row in table.rows] for n in range(len(table.columns))]


def _mappings(
    gold: list[list[Key]], got: list[list[Key]], *, allowed: Sequence[Decimal], scale: bool
) -> Iterator[tuple[tuple[int, Decimal], ...]]:
    scales = (Decimal(1), HUNDRED, 1 / HUNDRED) if scale else (Decimal(1),)
    candidates = [
        [
            (n, factor)
            for factor in scales
            for n, column in enumerate(got)
            if _column_fits(gold_column, _scaled(column, factor), allowed=slack)
        ]
        for gold_column, slack in zip(gold, allowed, strict=True)
    ]
    yield from _assign(candidates, used=frozenset())


def _assign(
    candidates: list[list[tuple[int, Decimal]]], *, used: frozenset[int]
) -> Iterator[tuple[tuple[int, Decimal], ...]]:
    if not candidates:
        yield ()
        return
    for column, scale in candidates[0]:
        if column not in used:
            for rest in _assign(candidates[1:], used=used | {column}):
                yield ((column, scale), *rest)


def _scaled(column: list[Key], scale: Decimal) -> list[Key]:
    if scale == 1:
        return column
    return [
        ("number", (cell[1] * scale).normalize()) if cell[0] == "number" and isinstance(cell[1], Decimal) else cell
        for cell in column
    ]


def _column_fits(gold: list[Key], got: list[Key], *, allowed: Decimal) -> bool:
    if Counter(gold) == Counter(got):
        return True
    if not allowed:
        return False
    if Counter(k for k in gold if k[0] != "number") != Counter(k for k in got if k[0] != "number"):
        return False
    gold_numbers, got_numbers = _numbers(gold), _numbers(got)
    return len(gold_numbers) == len(got_numbers) and all(
        numbers_equal(a, b, allowed=allowed) for a, b in zip(gold_numbers, got_numbers, strict=True)
    )


def _numbers(column: Sequence[Key]) -> list[Decimal]:
    return sorted(cell[1] for cell in column if isinstance(cell[1], Decimal))


def _allowed(values: Sequence[object], column: Sequence[Key], *, tolerance: Tolerance) -> Decimal:
    """Return the difference allowed in a gold column: none between integers, which are counts."""
    if all(value is None or isinstance(value, int | str) for value in values):
        return Decimal(0)
    is_share = all(abs(number) <= 1 for number in _numbers(column))
    return tolerance.share if is_share else tolerance.percent


def _rows_equal(gold: list[list[Key]], got: list[list[Key]], *, allowed: Sequence[Decimal], rules: Rules) -> bool:
    gold_rows = list(zip(*gold, strict=True))
    got_rows = list(zip(*got, strict=True))
    if not rules.ordered:
        return _bags_equal(gold_rows, got_rows, allowed=allowed)
    if rules.blocks is None:
        return all(_row_fits(a, b, allowed=allowed) for a, b in zip(gold_rows, got_rows, strict=True))
    return all(_bags_equal(gold_rows[start:end], got_rows[start:end], allowed=allowed) for start, end in rules.blocks)


def _row_fits(gold: Sequence[Key], got: Sequence[Key], *, allowed: Sequence[Decimal]) -> bool:
    return all(_cell_fits(a, b, allowed=c) for a, b, c in zip(gold, got, allowed, strict=True))


def _cell_fits(gold: Key, got: Key, *, allowed: Decimal) -> bool:
    if gold == got:
        return True
    if isinstance(gold[1], Decimal) and isinstance(got[1], Decimal):
        return numbers_equal(gold[1], got[1], allowed=allowed)
    return False


def _bags_equal(gold: Sequence[tuple[Key, ...]], got: Sequence[tuple[Key, ...]], *, allowed: Sequence[Decimal]) -> bool:
    missing = Counter(gold)
    missing.subtract(got)
    if not any(missing.values()):
        return True
    if not any(allowed):
        return False
    left_gold = [row for row, count in missing.items() for _ in range(count) if count > 0]
    left_got = [row for row, count in missing.items() for _ in range(-count) if count < 0]
    return _match(_by_exact_cells(left_gold, allowed), _by_exact_cells(left_got, allowed), allowed=allowed)


def _by_exact_cells(
    rows: Sequence[tuple[Key, ...]], allowed: Sequence[Decimal]
) -> dict[tuple[Key, ...], list[tuple[Key, ...]]]:
    groups: dict[tuple[Key, ...], list[tuple[Key, ...]]] = {}
    for row in rows:
        exact = tuple(cell for cell, slack in zip(row, allowed, strict=True) if not slack or cell[0] != "number")
        groups.setdefault(exact, []).append(row)
    return groups


def _match(
    gold: dict[tuple[Key, ...], list[tuple[Key, ...]]],
    got: dict[tuple[Key, ...], list[tuple[Key, ...]]],
    *,
    allowed: Sequence[Decimal],
) -> bool:
    if {key: len(rows) for key, rows in gold.items()} != {key: len(rows) for key, rows in got.items()}:
        return False
    return all(_pair(rows, got[key], allowed=allowed) for key, rows in gold.items())


def _pair(gold: list[tuple[Key, ...]], got: list[tuple[Key, ...]], *, allowed: Sequence[Decimal]) -> bool:
    """Whether the rows can be paired: a bipartite match by augmenting paths."""
    partner: dict[int, int] = {}

    def augment(n: int, seen: set[int]) -> bool:
        for m in range(len(got)):
            if m in seen or not _row_fits(gold[n], got[m], allowed=allowed):
                continue
            seen.add(m)
            if m not in partner or augment(partner[m], seen):
                partner[m] = n
                return True
        return False

    return all(augment(n, set()) for n in range(len(gold)))
