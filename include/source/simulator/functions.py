"""The scalar functions and operators of SoQL that the server knows."""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

_NUMBER = ("number",)
_TEXT = ("text",)
_TIME = ("calendar_date", "fixed_timestamp")
_ANY = ("any",)


@dataclass(frozen=True)
class Function:
    """A function: the types each argument may have, the type it gives, and what it does to arrays."""

    takes: tuple[tuple[str, ...], ...]
    gives: str
    apply: Callable[..., pa.Array]


def _truncate(unit: str) -> Callable[[pa.Array], pa.Array]:
    return lambda values: pc.floor_temporal(values, unit=unit).cast(pa.timestamp("ms"))


def _like(values: pa.Array, pattern: pa.Scalar) -> pa.Array:
    return pc.match_like(values, pattern.as_py())


def _weekday(values: pa.Array) -> pa.Array:
    return pc.day_of_week(values, count_from_zero=True, week_start=7)


def _divide(left: pa.Array, right: pa.Array) -> pa.Array:
    return pc.divide(left.cast(pa.float64()), right.cast(pa.float64()))


def _remainder(left: pa.Array, right: pa.Array) -> pa.Array:
    return pc.subtract(left, pc.multiply(pc.floor(pc.divide(left.cast(pa.float64()), right)), right))


FUNCTIONS: dict[str, Function] = {
    "not": Function((("checkbox",),), "checkbox", pc.invert),
    "is null": Function((_ANY,), "checkbox", pc.is_null),
    "is not null": Function((_ANY,), "checkbox", pc.is_valid),
    "like": Function((_TEXT, _TEXT), "checkbox", _like),
    "starts_with": Function((_TEXT, _TEXT), "checkbox", lambda v, p: pc.starts_with(v, p.as_py())),
    "contains": Function((_TEXT, _TEXT), "checkbox", lambda v, p: pc.match_substring(v, p.as_py())),
    "upper": Function((_TEXT,), "text", pc.utf8_upper),
    "lower": Function((_TEXT,), "text", pc.utf8_lower),
    "||": Function((_TEXT, _TEXT), "text", lambda a, b: pc.binary_join_element_wise(a, b, "")),
    "date_trunc_y": Function((_TIME,), "calendar_date", _truncate("year")),
    "date_trunc_ym": Function((_TIME,), "calendar_date", _truncate("month")),
    "date_trunc_ymd": Function((_TIME,), "calendar_date", _truncate("day")),
    "date_extract_y": Function((_TIME,), "number", pc.year),
    "date_extract_m": Function((_TIME,), "number", pc.month),
    "date_extract_d": Function((_TIME,), "number", pc.day),
    "date_extract_hh": Function((_TIME,), "number", pc.hour),
    "date_extract_mm": Function((_TIME,), "number", pc.minute),
    "date_extract_dow": Function((_TIME,), "number", _weekday),
    "+": Function((_NUMBER, _NUMBER), "number", pc.add),
    "-": Function((_NUMBER, _NUMBER), "number", pc.subtract),
    "*": Function((_NUMBER, _NUMBER), "number", pc.multiply),
    "/": Function((_NUMBER, _NUMBER), "number", _divide),
    "%": Function((_NUMBER, _NUMBER), "number", _remainder),
}
