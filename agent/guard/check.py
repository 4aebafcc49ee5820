"""Judge a text: one SELECT over the allowed tables, built from listed syntax and listed functions, of bounded size."""

from dataclasses import dataclass, field
from typing import NoReturn

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from agent.guard.bounds import check_bounds
from agent.guard.dialect import DIALECT, ParseBudgetError
from agent.guard.errors import GuardRefusal
from agent.guard.names import folded
from agent.guard.syntax import check_syntax
from agent.guard.tables import real_tables
from agent.guard.tokens import Source, read_source

DEFAULT_TABLES = frozenset({"crime_incidents", "district_names", "community_area_names", "ward_names"})
"""The four tables of a snapshot."""


@dataclass(frozen=True)
class CheckedQuery:
    """A text that may run.

    Attributes:
        sql: the text as written, without the qualifier `public`; characters keep their positions.
        relations: the real tables it reads, sorted.
    """

    sql: str
    relations: tuple[str, ...]
    _tree: exp.Expr = field(repr=False)

    def render(self, schema: str) -> str:
        """Return the text to run: every real table qualified with a schema, no comments, nothing else changed."""
        tree = self._tree.copy()
        for table in real_tables(tree):
            table.set("db", exp.to_identifier(schema, quoted=True))
        try:
            return str(DIALECT.generate(tree, copy=False, comments=False, normalize_functions=False))
        except RecursionError:
            _refuse("depth", "the query is nested too deeply")


def check_sql(sql: str, *, tables: frozenset[str] = DEFAULT_TABLES) -> CheckedQuery:
    """Return the checked query.

    Args:
        sql: the text as written by a model or a person.
        tables: names of the tables it may read, as PostgreSQL folds them.

    Raises:
        GuardRefusal: when any rule says no; its `rule` names the rule.
    """
    source = read_source(sql, tables)
    try:
        tree = _parse(source)
        check_syntax(tree)
        relations = _check_tables(tree, tables)
        check_bounds(tree)
    except RecursionError:
        _refuse("depth", "the query is nested too deeply")
    return CheckedQuery(source.text, relations, tree)


def _parse(source: Source) -> exp.Expr:
    try:
        trees = DIALECT.parser().parse(source.tokens, source.text)
    except (ParseError, TokenError) as error:
        _refuse("parse", f"the text is no SQL that the guard can read: {str(error).splitlines()[0]}")
    except ParseBudgetError:
        _refuse("depth", "the text takes too long to parse")
    except ValueError as error:
        _refuse("literal", f"a literal cannot be read: {error}")
    statements = [tree for tree in trees if tree is not None]
    if len(statements) != 1:
        _refuse("statements", f"{len(statements)} statements", expected="exactly one")
    return statements[0]


def _check_tables(tree: exp.Expr, tables: frozenset[str]) -> tuple[str, ...]:
    names = set()
    for table in real_tables(tree):
        name = folded(table.this)
        if table.args.get("db") or table.args.get("catalog"):
            _refuse("schema", f"a table with a schema: {table.sql()!r}", expected="a table name without a schema")
        if name not in tables:
            _refuse("table", f"the table {name!r}", expected=f"one of {', '.join(sorted(tables))}")
        names.add(name)
    return tuple(sorted(names))


def _refuse(rule: str, seen: str, *, expected: str = "") -> NoReturn:
    raise GuardRefusal(seen, expected=expected, rule=rule)
