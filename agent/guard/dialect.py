"""The guard's own PostgreSQL dialect of sqlglot: what is parsed is rendered as it was written.

sqlglot translates between dialects: it knows hundreds of functions by meaning and renders each in its own words, so
DATE_PART becomes EXTRACT (another type) and YEAR(x), which PostgreSQL lacks, starts to work. Here no function has a
meaning: every call keeps its name and arguments, so the text that runs is the text that was checked, and one list of
PostgreSQL's own function names judges all of them.
"""

from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import Token, TokenType

from agent.guard.escapes import decode_escapes

_SPECIAL_SYNTAX = ("CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM")
"""Calls whose arguments are not a comma-separated list."""

_INTERVAL_FIELDS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})


class ParseBudgetError(Exception):
    """The parser went back and forth too often: the text is built to make it slow."""


class GuardPostgres(Postgres):
    """PostgreSQL without translations."""

    class Parser(PostgresParser):
        """Leaves every call with an ordinary argument list anonymous, and stops on hostile input.

        The parser backtracks, so nested `ARRAY[` or `int (` take time exponential in their depth; the number of steps
        is therefore limited by the number of tokens.
        """

        FUNCTIONS: ClassVar = {}
        FUNCTION_PARSERS: ClassVar = {
            name: parser for name, parser in PostgresParser.FUNCTION_PARSERS.items() if name in _SPECIAL_SYNTAX
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar = {
            name: parser for name, parser in PostgresParser.NO_PAREN_FUNCTION_PARSERS.items() if name in ("ANY", "CASE")
        }
        PRIMARY_PARSERS: ClassVar = {
            **PostgresParser.PRIMARY_PARSERS,
            TokenType.BYTE_STRING: lambda self, token: self._escape_string(token),
        }

        def reset(self) -> None:
            """Start anew."""
            super().reset()
            self._steps = 0

        def _advance(self, times: int = 1) -> None:
            self._steps += 1
            if self._steps > 10_000 + 10 * len(self._tokens):
                raise ParseBudgetError
            super()._advance(times)

        def _parse_interval_span(self, this: exp.Expr, parse_function_unit: bool = True) -> exp.Interval:
            text = this.name if this.is_string else None
            interval = super()._parse_interval_span(this, parse_function_unit)
            if text is None or self._prev.token_type != TokenType.STRING:
                return interval
            # '1.5 hours' is not split into a number and a unit: PostgreSQL reads the whole text.
            if self._curr and self._curr.text.upper() in _INTERVAL_FIELDS and self._curr.token_type == TokenType.VAR:
                self.raise_error("A field after an interval that names its own units")
            return exp.Interval(this=exp.Literal.string(text))

        def _escape_string(self, token: Token) -> exp.Expr:
            return exp.Literal.string(decode_escapes(self.sql[token.start : token.end + 1]))

    class Generator(PostgresGenerator):
        """Renders names and intervals as they were written."""

        SINGLE_STRING_INTERVAL = False
        MULTI_ARG_DISTINCT = True
        TRANSFORMS: ClassVar = {
            **PostgresGenerator.TRANSFORMS,
            exp.Cbrt: lambda self, node: f"||/ {self.sql(node, 'this')}",
            exp.Sqrt: lambda self, node: f"|/ {self.sql(node, 'this')}",
            exp.Pow: lambda self, node: self.binary(node, "^"),
            exp.CurrentTime: lambda self, node: (
                f"CURRENT_TIME({self.sql(node, 'this')})" if node.this else "CURRENT_TIME"
            ),
        }

        def anonymous_sql(self, expression: exp.Anonymous) -> str:
            """Keep a quoted function name as it is."""
            name = expression.this
            if isinstance(name, exp.Identifier):
                return self.func(self.sql(name), *expression.expressions, normalize=False)
            return super().anonymous_sql(expression)


DIALECT = GuardPostgres()
