"""Typed values of SoQL expressions and how a literal takes the type of what it is compared with."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from include.source.simulator.errors import RequestError, query_error
from include.source.simulator.soql import Literal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Value:
    """A column or constant of a SODA type; `null` is the type of the bare null."""

    type: str
    data: pa.Array | pa.Scalar


def of_literal(literal: Literal) -> Value:
    """A literal on its own: text, number, checkbox or null."""
    value = literal.value
    if value is None:
        return Value("null", pa.scalar(None))
    if isinstance(value, bool):
        return Value("checkbox", pa.scalar(value))
    if isinstance(value, str):
        return Value("text", pa.scalar(value))
    return Value("number", pa.scalar(value))


def coerce(literal: Literal, to: str, *, operator: str) -> Value:
    """A literal where a value of type `to` is wanted: text becomes a number, a time or a truth value if it can.

    Raises:
        RequestError: 400 `query.soql.type-mismatch`.
    """
    value = literal.value
    if value is None or of_literal(literal).type == to:
        return of_literal(literal)
    if isinstance(value, str):
        converted = _from_text(value, to)
        if converted is not None:
            return Value(to, converted)
    raise mismatch(operator, of_literal(literal).type)


def mismatch(operator: str, kind: str) -> RequestError:
    """The answer to an argument of the wrong type."""
    message = f"Type mismatch for {operator}, is {kind}"
    return query_error("type-mismatch", message, function=operator, type=kind, position={"row": 1, "column": 1})


def milliseconds(text: str, kind: str) -> int | None:
    """A time literal in milliseconds since 1970; None if it is not one of type `kind`."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    if parsed.tzinfo is not None and kind == "calendar_date":
        return None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(milliseconds=1)


def _from_text(text: str, to: str) -> pa.Scalar | None:
    if to in ("calendar_date", "fixed_timestamp"):
        stamp = milliseconds(text, to)
        return None if stamp is None else pa.scalar(stamp, pa.timestamp("ms"))
    if to == "number":
        try:
            return pa.scalar(float(text)) if "." in text else pa.scalar(int(text))
        except ValueError:
            return None
    if to == "checkbox" and text.lower() in ("true", "false"):
        return pa.scalar(text.lower() == "true")
    if to in ("row_id", "row_version"):
        return pa.scalar(text)
    return None
