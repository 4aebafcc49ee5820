"""Records of a SODA JSON page, read without holding the page."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from include.source.errors import BrokenBodyError

_READ_CHARACTERS = 1 << 16
_NEXT_STATE = {("start", "["): "first", ("first", "]"): "end", ("next", "]"): "end", ("next", ","): "object"}


def json_records(text: TextIO, *, columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the values of each object in the order of `columns`, as CSV would give them: an absent one is ''.

    Raises:
        BrokenBodyError: when the text is no whole JSON array of objects, or an object has another field.
    """
    known = set(columns)
    for item in _objects(text):
        if not item.keys() <= known:
            raise BrokenBodyError(f"a row with the fields {sorted(item)}", expected=", ".join(columns))
        yield [_plain(item.get(name)) for name in columns]


def _objects(text: TextIO) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    buffer, state = "", "start"
    while True:
        buffer = buffer.lstrip()
        following = _NEXT_STATE.get((state, buffer[:1]))
        if following is not None:
            buffer, state = buffer[1:], following
            continue
        try:
            if buffer and (state not in ("first", "object") or buffer[0] != "{"):
                raise BrokenBodyError(f"the JSON page holds {buffer[:20]!r}", expected="an array of objects")
            item, end = decoder.raw_decode(buffer)
        except json.JSONDecodeError as error:
            more = text.read(_READ_CHARACTERS)
            if not more and state == "end":
                return
            if not more:
                raise BrokenBodyError(f"the JSON page is cut or malformed: {error.msg}") from error
            buffer += more
            continue
        yield item
        buffer, state = buffer[end:], "next"


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)
