"""Cut a text into tokens and refuse, before the parser sees it, what is too long, too deep or several statements."""

from dataclasses import dataclass
from typing import NoReturn

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from agent.guard.dialect import DIALECT
from agent.guard.errors import GuardRefusal
from agent.guard.names import folded

MAX_CHARS = 20_000
MAX_TOKENS = 5_000
MAX_BRACKETS = 200
"""Arrays and subscripts; the parser takes time quadratic in a chain of them."""
MAX_NESTING = 32
"""Open parentheses, brackets and CASEs at one place."""

_FIRST_WORDS = frozenset({"SELECT", "WITH", "TABLE"})
_QUOTED = frozenset({TokenType.IDENTIFIER, TokenType.STRING})
_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})


@dataclass(frozen=True)
class Source:
    """A text and its tokens, both without the qualifier `public` before an allowed table."""

    text: str
    tokens: list[Token]


def read_source(sql: str, tables: frozenset[str]) -> Source:
    """Return the tokens of a text.

    Raises:
        GuardRefusal: by the rules `length`, `literal`, `parse`, `statements`, `root` and `depth`.
    """
    if len(sql) > MAX_CHARS:
        _refuse("length", f"a text of {len(sql)} characters", f"at most {MAX_CHARS}")
    if "\0" in sql or any(0xD800 <= ord(char) < 0xE000 for char in sql):
        _refuse("literal", "a character that PostgreSQL cannot store", "text without NUL and surrogates")
    try:
        tokens = DIALECT.tokenize(sql)
    except TokenError as error:
        _refuse("parse", f"the text cannot be cut into tokens: {str(error).splitlines()[0]}")
    if len(tokens) > MAX_TOKENS:
        _refuse("length", f"a text of {len(tokens)} words and signs", f"at most {MAX_TOKENS}")
    if sum(token.token_type == TokenType.L_BRACKET for token in tokens) > MAX_BRACKETS:
        _refuse("length", "a text of very many brackets", f"at most {MAX_BRACKETS}")
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        _refuse("statements", "no statement", "exactly one")
    _check_start(tokens)
    _check_tokens(tokens)
    return _without_public(sql, tokens, tables)


def _check_start(tokens: list[Token]) -> None:
    first = next((token for token in tokens if token.token_type != TokenType.L_PAREN), tokens[0])
    if first.text.upper() not in _FIRST_WORDS or first.token_type in _QUOTED:
        _refuse("root", f"a text that starts with {first.text[:40]!r}", "a SELECT, or a set operation of them")


def _check_tokens(tokens: list[Token]) -> None:
    depth = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        kind = token.token_type
        if kind == TokenType.SEMICOLON:
            _refuse("statements", "more than one statement", "exactly one")
        depth += (kind in _OPEN) - (kind in _CLOSE)
        if depth > MAX_NESTING:
            _refuse("depth", f"more than {MAX_NESTING} levels of nesting")
        if kind == TokenType.NUMBER and following is not None and _adjoins(token, following):
            # Servers disagree on 1_000 and 0x1F: a number to the newer, a number and an alias to the older.
            _refuse("literal", f"a number that runs into a word: {token.text}{following.text}", "a plain number")


def _adjoins(number: Token, following: Token) -> bool:
    text = following.text[:1]
    return following.start == number.end + 1 and (text.isalnum() or text == "_")


def _without_public(sql: str, tokens: list[Token], tables: frozenset[str]) -> Source:
    kept: list[Token] = []
    text = sql
    skip = 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        if _qualifies(tokens, index, tables):
            end = tokens[index + 2].start
            text = text[: token.start] + " " * (end - token.start) + text[end:]
            skip = 1
            continue
        kept.append(token)
    return Source(text, kept)


def _qualifies(tokens: list[Token], index: int, tables: frozenset[str]) -> bool:
    if index + 2 >= len(tokens) or tokens[index + 1].token_type != TokenType.DOT:
        return False
    if index and tokens[index - 1].token_type == TokenType.DOT:
        return False
    return _name(tokens[index]) == "public" and _name(tokens[index + 2]) in tables


def _name(token: Token) -> str:
    return token.text if token.token_type == TokenType.IDENTIFIER else folded(token.text)


def _refuse(rule: str, seen: str, expected: str = "") -> NoReturn:
    raise GuardRefusal(seen, expected=expected, rule=rule)
