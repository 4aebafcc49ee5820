"""`agent/guard` is the only module that sends text from outside the code to a database."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from include.settings import PROJECT_ROOT

AGENT = PROJECT_ROOT / "agent"
MODULES = [path for path in sorted(AGENT.rglob("*.py")) if AGENT / "guard" not in path.parents]
SENDING = {"execute", "executemany", "copy", "stream", "prepare", "exec_", "exec_params", "send_query", "ServerCursor"}
DRIVERS = {"psycopg2", "sqlalchemy", "asyncpg", "psycopg_pool", "pg8000", "langchain_community"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PROJECT_ROOT)))
def test_module_sends_only_texts_of_the_code(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert list(_foreign_texts(tree)) == []
    assert list(_other_drivers(tree)) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("conn.execute(sql)", 1),
        ("def f(sql):\n    cursor.execute(f'EXPLAIN {sql}')", 1),
        ("conn.execute('SELECT ' + column)", 1),
        ("cursor.stream(state.sql)", 1),
        ("conn.execute('SELECT 1')", 0),
        ("conn.execute(load_sql('x.sql'), values)", 0),
        ("text = load_sql('x.sql')\nconn.execute(text)", 0),
        ("text = load_sql('x.sql')\ntext = answer\nconn.execute(text)", 1),
        ("guard.execute(sql, schema=s, caller=c, limits=l)", 0),
        ("text = load_sql('x.sql')\ncursor.execute(text.format(psycopg.sql.Identifier(t)))", 1),
        ("text = psycopg.sql.SQL(load_sql('x.sql'))\ncursor.execute(text.format(psycopg.sql.Identifier(t)))", 0),
        ("graph.stream(state, context=c, stream_mode='values')", 0),
        ("copy.copy(x)", 0),
    ],
)
def test_scan_finds_what_it_should(code: str, found: int) -> None:
    assert len(list(_foreign_texts(ast.parse(code)))) == found


def _foreign_texts(tree: ast.Module) -> Iterator[str]:
    """Yield calls that send a text which is neither written in the code nor read from an SQL file."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SENDING):
            continue
        keywords = {keyword.arg for keyword in node.keywords}
        if {"schema", "caller", "limits"} <= keywords or "stream_mode" in keywords:
            continue
        if ast.unparse(node.func) == "copy.copy" or not node.args:
            continue
        if not _is_own(node.args[0], tree):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _is_own(text: ast.expr, tree: ast.Module) -> bool:
    match text:
        case ast.Constant():
            return True
        case ast.Call(func=ast.Name(id="load_sql")):
            return True
        case ast.Call(func=ast.Attribute(attr="SQL"), args=[inner]):
            return _is_own(inner, tree)
        case ast.Call(func=ast.Attribute(value=composed, attr="format")):
            return _is_composed(composed, tree)
        case ast.Name(id=name):
            values = _assigned(tree, name)
            return bool(values) and all(_is_own(value, tree) for value in values)
    return False


def _is_composed(text: ast.expr, tree: ast.Module) -> bool:
    """Whether it is a psycopg.sql.SQL, whose `format` quotes; that of a string would not."""
    if isinstance(text, ast.Name):
        values = _assigned(tree, text.id)
        return bool(values) and all(_is_composed(value, tree) for value in values)
    return isinstance(text, ast.Call) and ast.unparse(text.func).endswith("SQL") and _is_own(text, tree)


def _assigned(tree: ast.Module, name: str) -> list[ast.expr]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found.append(node.value)
        if isinstance(node, ast.AnnAssign | ast.AugAssign) and ast.unparse(node.target) == name and node.value:
            found.append(node.value)
    return found


def _other_drivers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        yield from (name for name in names if name.split(".")[0] in DRIVERS)
