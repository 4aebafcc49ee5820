"""When two cells are equal: the value rules every reading shares, and their tolerances.

NULL equals NULL only; a truth value is no number; 5 = 5.0 = Decimal 5; NaN = NaN; a date is a midnight timestamp.
"""

import math
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal

Kind = Literal["null", "bool", "number", "text", "time", "other"]
Key = tuple[Kind, object]
SLACK = Decimal("1e-9")


@dataclass(frozen=True)
class Tolerance:
    """How far two cells may differ.

    Attributes:
        percent: absolute difference allowed between fractions beyond 1, and 0 to allow none.
        share: absolute difference allowed between fractions up to 1.
        text_case: whether THEFT and Theft differ.
    """

    percent: Decimal = Decimal(0)
    share: Decimal = Decimal(0)
    text_case: bool = True


def cell_key(value: object, *, text_case: bool) -> Key:
    """Return a hashable key; two cells are equal without tolerance exactly when their keys are."""
    if value is None:
        return ("null", None)
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float | Decimal):
        return ("number", to_decimal(value))
    if isinstance(value, str):
        return ("text", value if text_case else value.casefold())
    if isinstance(value, datetime):
        return ("time", value.replace(tzinfo=None))
    if isinstance(value, date):
        return ("time", datetime.combine(value, time.min))
    return ("other", repr(value))


def to_decimal(value: int | float | Decimal) -> Decimal | str:
    """Return the number as written in decimal, without trailing zeros; NaN and infinities as text."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return repr(value)
        value = Decimal(repr(value))
    decimal = Decimal(value)
    if not decimal.is_finite():
        return str(decimal).lower()
    return Decimal(0) if decimal == 0 else decimal.normalize()


def numbers_equal(gold: Decimal, got: Decimal, *, allowed: Decimal) -> bool:
    """Whether two numbers differ by at most `allowed` (with a slack for the last digit)."""
    return gold == got or (allowed > 0 and abs(gold - got) <= allowed + SLACK)
