"""Judge the syntax tree node by node: types of nodes, clauses, functions, data types, names."""

from collections.abc import Callable
from typing import NoReturn

from sqlglot import exp

from agent.guard.errors import GuardRefusal
from agent.guard.functions import ALLOWED_FUNCTIONS, CONSTRUCTS, DANGEROUS_FUNCTIONS, IDENTITY_WORDS, SYSTEM_COLUMNS
from agent.guard.names import MAX_NAME_BYTES, folded
from agent.guard.nodes import ALLOWED_CLAUSES, ALLOWED_NODES, ALLOWED_TYPES

MAX_DEPTH = 200
"""Levels of the tree; a chain of operators counts one a link."""


def check_syntax(root: exp.Expr) -> None:
    """Check every node of a statement.

    Raises:
        GuardRefusal: by the rules `root`, `depth`, `node`, `clause`, `function`, `type`, `identity`, `column`,
            `schema` and `name`.
    """
    if not _is_query(root):
        _refuse("root", f"a {root.key} statement", "a SELECT, or a set operation of them")
    level: list[exp.Expr] = [root]
    for _ in range(MAX_DEPTH):
        for node in level:
            _check_node(node)
        level = [child for node in level for child in node.iter_expressions()]
        if not level:
            return
    _refuse("depth", f"a tree of more than {MAX_DEPTH} levels")


def _is_query(root: exp.Expr) -> bool:
    node: object = root
    while type(node) is exp.Subquery:
        node = node.this
    return type(node) in (exp.Select, exp.Union, exp.Except, exp.Intersect)


def _check_node(node: exp.Expr) -> None:
    kind = type(node)
    if kind not in ALLOWED_NODES:
        _refuse("node", f"the syntax {node.key!r}", "plain SELECT syntax")
    clauses = ALLOWED_CLAUSES.get(kind)
    if clauses is not None:
        for name, value in node.args.items():
            if value and name not in clauses:
                _refuse("clause", f"{name.strip('_')} in a {node.key}", "plain SELECT syntax")
    if check := _CHECKS.get(kind):
        check(node)


def _check_function(node: exp.Expr) -> None:
    name = folded(node.this)
    if name in ALLOWED_FUNCTIONS or (name in CONSTRUCTS and isinstance(node.this, str)):
        return
    rule = "dangerous_function" if DANGEROUS_FUNCTIONS.match(name) else "function"
    _refuse(rule, f"the function {name!r}", "a function of the guard's list")


def _check_type(node: exp.Expr) -> None:
    kind = node.this
    if kind not in ALLOWED_TYPES:
        _refuse("type", f"a cast to {getattr(kind, 'value', kind)!s}", "a plain type: text, numeric, date, ...")


def _check_column(node: exp.Expr) -> None:
    if node.args.get("db") or node.args.get("catalog"):
        _refuse("schema", f"a column with a schema: {node.sql()!r}", "table.column")
    name = node.this
    if not isinstance(name, exp.Identifier) or name.args.get("quoted"):
        return
    word = folded(name)
    if word in IDENTITY_WORDS and not node.args.get("table"):
        _refuse("identity", f"{word} names the session, not the data", "columns of the tables")
    if word in SYSTEM_COLUMNS:
        _refuse("column", f"the system column {word}", "columns of the tables")


def _check_alias(node: exp.Expr) -> None:
    _check_name(node.this)


def _check_table(node: exp.Expr) -> None:
    name = node.this
    if not isinstance(name, exp.Identifier | exp.Anonymous):
        _refuse("node", f"{name.key if isinstance(name, exp.Expr) else name!r} in FROM", "a table or a function")
    if node.args.get("catalog"):
        _refuse("schema", "a table with a database", "a table name alone")
    if isinstance(name, exp.Identifier):
        _check_name(name)


def _check_name(name: object) -> None:
    if isinstance(name, exp.Identifier) and len(name.name.encode()) > MAX_NAME_BYTES:
        _refuse("name", f"a name of more than {MAX_NAME_BYTES} bytes", "a shorter one: PostgreSQL cuts it")


_CHECKS: dict[type, Callable[[exp.Expr], None]] = {
    exp.Anonymous: _check_function,
    exp.DataType: _check_type,
    exp.Column: _check_column,
    exp.TableAlias: _check_alias,
    exp.Table: _check_table,
}


def _refuse(rule: str, seen: str, expected: str = "") -> NoReturn:
    raise GuardRefusal(seen, expected=expected, rule=rule)
