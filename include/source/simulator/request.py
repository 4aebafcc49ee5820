"""What a request asks: the `$` parameters and plain filters of its query string, parsed."""

from collections.abc import Mapping
from dataclasses import dataclass

from include.source.simulator.errors import no_such_column, query_error
from include.source.simulator.fields import Field
from include.source.simulator.soql import Call, Column, Literal, Node, Ordered, Parser, Selected, Star

DEFAULT_LIMIT = 1000
_KNOWN = frozenset({"$select", "$where", "$order", "$group", "$having", "$limit", "$offset", "$$app_token"})


@dataclass(frozen=True)
class Query:
    """A parsed query; `select` is None when the request has none."""

    select: tuple[Selected, ...] | None
    where: Node | None
    group: tuple[Node, ...]
    having: Node | None
    order: tuple[Ordered, ...]
    limit: int
    offset: int


def parse_query(parameters: Mapping[str, str], fields: Mapping[str, Field]) -> Query:
    """Read the parameters of a request to `/resource`.

    Raises:
        RequestError: 400 for a text that is not SoQL, an unknown parameter or an unknown column.
    """
    for name in parameters:
        if name.startswith("$") and name not in _KNOWN:
            raise query_error("unrecognized-parameter", f"Unrecognized arguments [{name}]")
    select = Parser(parameters["$select"]).select() if parameters.get("$select") else None
    aliases = {item.alias: item.node for item in select or () if item.alias}
    where = Parser(parameters["$where"]).condition() if parameters.get("$where") else None
    for name, value in parameters.items():
        if not name.startswith("$"):
            if name not in fields:
                raise no_such_column(name)
            equal = Call("=", (Column(name), _filter_literal(value, fields[name])))
            where = equal if where is None else Call("and", (where, equal))
    group = Parser(parameters["$group"]).group() if parameters.get("$group") else []
    having = Parser(parameters["$having"]).condition() if parameters.get("$having") else None
    order = Parser(parameters["$order"]).order() if parameters.get("$order") else []
    return Query(
        select=tuple(select) if select is not None else None,
        where=where,
        group=tuple(unalias(node, aliases) for node in group),
        having=unalias(having, aliases) if having is not None else None,
        order=tuple(Ordered(unalias(item.node, aliases), item.descending) for item in order),
        limit=_count(parameters, "$limit", DEFAULT_LIMIT),
        offset=_count(parameters, "$offset", 0),
    )


def unalias(node: Node, aliases: Mapping[str, Node]) -> Node:
    """Replace names that are aliases of the select list by what they stand for."""
    if isinstance(node, Column):
        return aliases.get(node.name, node)
    if isinstance(node, Call):
        return Call(node.name, tuple(unalias(argument, aliases) for argument in node.args))
    return node


def column_name(node: Node) -> str:
    """The name a selected expression has without an alias: `count(*)` gives `count`, `sum(id)` gives `sum_id`."""
    if isinstance(node, Column):
        return node.name
    if isinstance(node, Literal):
        return "_" + "".join(letter if letter.isalnum() else "_" for letter in str(node.value))
    if isinstance(node, Call):
        parts = [column_name(argument).lstrip(":") for argument in node.args if not isinstance(argument, Star)]
        return "_".join([node.name if node.name[0].isalpha() else "expr", *parts])
    return "*"


def _filter_literal(value: str, field: Field) -> Literal:
    if field.type == "checkbox" and value.lower() in ("true", "false"):
        return Literal(value.lower() == "true")
    return Literal(value)


def _count(parameters: Mapping[str, str], name: str, default: int) -> int:
    text = parameters.get(name, "")
    if not text:
        return default
    if not text.isdigit():
        raise query_error("invalid-parameter", f"Invalid value for {name}: {text}")
    return int(text)
