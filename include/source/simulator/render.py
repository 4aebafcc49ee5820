"""Answers as the server writes them: CSV with everything quoted, JSON with text numbers and without nulls."""

import io
import json
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from include.source.simulator.query import Answer

_ADDRESS = json.dumps(json.dumps({"address": "", "city": "", "state": "", "zip": ""}))


def render_csv(answer: Answer) -> Iterator[bytes]:
    """The answer as CSV, a block at a time; nulls are empty, every other value is quoted."""
    options = pacsv.WriteOptions(include_header=False, quoting_style="all_valid")
    yield ",".join('"' + name.replace('"', '""') + '"' for name in answer.names).encode() + b"\n"
    for block in answer.blocks:
        texts = [_csv_text(kind, values) for kind, values in zip(answer.types, block, strict=True)]
        sink = io.BytesIO()
        pacsv.write_csv(pa.Table.from_arrays(texts, names=[str(n) for n in range(len(texts))]), sink, options)
        yield sink.getvalue()


def render_json(answer: Answer) -> Iterator[bytes]:
    """The answer as a JSON list of objects, a block at a time, one object a line."""
    separator = "["
    for block in answer.blocks:
        members = []
        for name, kind, values in zip(answer.names, answer.types, block, strict=True):
            member = _json_text(kind, values)
            members.append(pc.binary_join_element_wise(json.dumps(name), member, ":"))
        if not len(block[0]):
            continue
        # A constant comes first because Arrow leaves out rows of which every part is null; its comma is cut off again.
        joined = pc.binary_join_element_wise("", *members, ",", null_handling="skip")
        rows = ["{" + row[1:] + "}\n" for row in joined.to_pylist()]
        yield (separator + ",".join(rows)).encode()
        separator = ","
    yield b"[]\n" if separator == "[" else b"]\n"


def as_text(kind: str, values: pa.Array) -> pa.Array:
    """Values of a SODA type as the text the server writes for them."""
    if pa.types.is_null(values.type):
        return values.cast(pa.string())
    if kind in ("calendar_date", "fixed_timestamp"):
        text = values.cast(pa.timestamp("ms")).cast(pa.string())
        text = pc.binary_replace_slice(text, 10, 11, "T")
        return pc.binary_join_element_wise(text, "Z", "") if kind == "fixed_timestamp" else text
    if pa.types.is_floating(values.type):
        return pc.replace_substring_regex(values.cast(pa.string()), r"\.0$", "")
    return values.cast(pa.string())


def _csv_text(kind: str, values: pa.Array) -> pa.Array:
    if kind == "location":
        pair = pc.binary_join_element_wise(values.field(0), values.field(1), ", ")
        return pc.binary_join_element_wise("(", pair, ")", "")
    return as_text(kind, values)


def _json_text(kind: str, values: pa.Array) -> pa.Array:
    if kind == "checkbox":
        return values.cast(pa.string())
    if kind == "location":
        parts = (
            '{"latitude":"',
            values.field(0),
            '","longitude":"',
            values.field(1),
            '","human_address":',
            _ADDRESS,
            "}",
        )
        return pc.binary_join_element_wise(*parts, "")
    if kind in ("text", "null"):
        return _quoted(values)
    return pc.binary_join_element_wise('"', as_text(kind, values), '"', "")


def _quoted(values: pa.Array) -> pa.Array:
    """Text as JSON strings; a dictionary is quoted once per distinct value."""
    if pa.types.is_dictionary(values.type):
        quoted = _quoted(values.dictionary)
        return quoted.take(values.indices)
    text = values.cast(pa.string())
    special = pc.match_substring_regex(text, r'[\\"\x00-\x1f]')
    if pc.any(special).as_py():
        return pa.array([None if item is None else json.dumps(item) for item in text.to_pylist()], pa.string())
    return pc.binary_join_element_wise('"', text, '"', "")
