"""Reading the columns of a file of crimes into types, from text or from types already there."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from include.errors import UsageError
from include.source.simulator.fields import FIELDS

_PORTAL_TIME = "%m/%d/%Y %I:%M:%S %p"
_TRUE = pa.array(["true", "True", "TRUE", "Y", "y", "1", "t"])
_FALSE = pa.array(["false", "False", "FALSE", "N", "n", "0", "f"])


def to_typed(name: str, values: pa.Array, *, file: Path) -> pa.Array:
    """Type one block of one column.

    Raises:
        UsageError: a value cannot be read as the field's type.
    """
    kind = FIELDS[name].type
    try:
        if name == "id":
            return _required(pc.cast(values, pa.int64()))
        if name == "year":
            return pc.cast(values, pa.int32())
        if kind == "number":
            return pc.cast(values, pa.float64())
        if kind == "checkbox":
            return values if pa.types.is_boolean(values.type) else _boolean(values)
        if kind in ("calendar_date", "fixed_timestamp"):
            return _time(values)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UsageError(
            f"column {name} of {file} cannot be read: {error}",
            expected=f"values of type {kind}",
            action="check that the file is an export of the crimes data set",
        ) from error
    return pc.cast(values, pa.string())


def _required(values: pa.Array) -> pa.Array:
    if values.null_count:
        raise pa.ArrowInvalid(f"{values.null_count} rows have no value")
    return values


def _boolean(values: pa.Array) -> pa.Array:
    text = pc.cast(values, pa.string())
    truth = pc.is_in(text, value_set=_TRUE)
    known = pc.or_(pc.or_(truth, pc.is_in(text, value_set=_FALSE)), pc.is_null(text))
    if not pc.all(known).as_py():
        raise pa.ArrowInvalid(f"{text.filter(pc.invert(known))[0].as_py()!r} is neither true nor false")
    return pc.if_else(pc.is_valid(text), truth, pa.scalar(None, pa.bool_()))


def _time(values: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(values.type):
        return values.cast(pa.timestamp("s"), safe=False)
    text = pc.cast(values, pa.string())
    first = text.drop_null()[:1].to_pylist()
    if first and "/" in first[0]:
        return pc.strptime(text, format=_PORTAL_TIME, unit="s")
    return pc.utf8_rtrim(text, characters="Z").cast(pa.timestamp("ms")).cast(pa.timestamp("s"), safe=False)
