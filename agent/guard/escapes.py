"""Decode PostgreSQL's E'...' strings, so that they run as plain ones."""

import re

_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9A-Fa-f]{1,2})|u(?P<u4>[0-9A-Fa-f]{4})|U(?P<u8>[0-9A-Fa-f]{8})|(?P<char>.))|''",
    re.DOTALL,
)
_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def decode_escapes(source: str) -> str:
    """Return the value of an escape string.

    Args:
        source: the literal as written, from its `E` to its closing quote.

    Raises:
        ValueError: when it is no escape string, or an escape names no ASCII byte or no character.
    """
    if len(source) < 3 or source[0] not in "eE" or source[1] != "'" or source[-1] != "'":
        raise ValueError("not an escape string")
    return _ESCAPE.sub(_decode, source[2:-1])


def _decode(match: re.Match[str]) -> str:
    if match.group() == "''":
        return "'"
    if char := match["char"]:
        return _CONTROL.get(char, char)
    byte = match["octal"] or match["hex"]
    if byte:
        code = int(byte, 8 if match["octal"] else 16)
        # Bytes above are parts of a multi-byte character, which only the server could join.
        if not 0 < code < 0x80:
            raise ValueError("an escape outside ASCII")
    else:
        code = int(match["u4"] or match["u8"], 16)
        if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
            raise ValueError("an escape that names no character")
    return chr(code)
