"""Find the real tables of a query: those that no WITH of an enclosing or earlier place defines.

The walk follows PostgreSQL's own rules of visibility. A list of all names that some WITH defines would not do: in
`WITH pg_stats AS (SELECT * FROM pg_stats) SELECT * FROM pg_stats` the inner one is the catalog.
"""

from collections.abc import Iterator

from sqlglot import exp

from agent.guard.names import folded


def real_tables(root: exp.Expr) -> list[exp.Table]:
    """Return the tables of a query that PostgreSQL looks up in a schema, in the order of the text.

    A function in FROM is no table: its name is judged with the functions.
    """
    return list(_walk(root, frozenset()))


def _walk(root: exp.Expr, visible: frozenset[str]) -> Iterator[exp.Table]:
    waiting = [(root, visible)]
    while waiting:
        node, names = waiting.pop()
        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            definitions, names = _definitions(with_, names)
            waiting.extend(definitions)
        if isinstance(node, exp.Table) and not _is_function(node):
            qualified = node.args.get("db") or node.args.get("catalog")
            if qualified or folded(node.this) not in names:
                yield node
        waiting.extend((child, names) for child in node.iter_expressions() if child is not with_)


def _definitions(
    with_: exp.With, outer: frozenset[str]
) -> tuple[list[tuple[exp.Expr, frozenset[str]]], frozenset[str]]:
    ctes = [cte for cte in with_.expressions if isinstance(cte, exp.CTE)]
    everything = outer | {_name(cte) for cte in ctes}
    if with_.args.get("recursive"):
        return [(cte.this, everything) for cte in ctes], everything
    bodies: list[tuple[exp.Expr, frozenset[str]]] = []
    seen = outer
    for cte in ctes:
        bodies.append((cte.this, seen))
        seen = seen | {_name(cte)}
    return bodies, everything


def _name(cte: exp.CTE) -> str:
    alias = cte.args.get("alias")
    return folded(alias.this) if isinstance(alias, exp.TableAlias) else ""


def _is_function(table: exp.Table) -> bool:
    return not isinstance(table.this, exp.Identifier)
