"""SoQL texts to syntax trees: the expressions of `$select`, `$where`, `$group`, `$having` and `$order`."""

import re
from dataclasses import dataclass

from include.source.simulator.errors import malformed


@dataclass(frozen=True)
class Column:
    """A field or an alias by name."""

    name: str


@dataclass(frozen=True)
class Literal:
    """A constant: text, number, boolean or null."""

    value: str | float | int | bool | None


@dataclass(frozen=True)
class Call:
    """A function or operator with its arguments; operators are named as in `OPERATORS` of the evaluator."""

    name: str
    args: tuple["Node", ...]


@dataclass(frozen=True)
class Star:
    """`*` (all fields), `:*` (system fields) or the argument of `count(*)`."""

    system: bool = False


Node = Column | Literal | Call | Star


@dataclass(frozen=True)
class Selected:
    """One item of a select list with its alias."""

    node: Node
    alias: str | None


@dataclass(frozen=True)
class Ordered:
    """One item of an order list."""

    node: Node
    descending: bool


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<text>'(?:[^']|'')*')|(?P<name>:?@?[A-Za-z_][A-Za-z0-9_]*|`[^`]+`)"
    r"|(?P<op><=|>=|!=|<>|==|\|\||:\*|[=<>(),*+\-/%])|(?P<end>$))"
)
_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Parser:
    """A recursive descent parser over one text.

    Raises:
        RequestError: 400 `query.compiler.malformed` where the text is not SoQL.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str, int]] = []
        at = 0
        while True:
            match = _TOKEN.match(text, at)
            if match is None:
                raise malformed(text, at=at, expected="an expression")
            kind = match.lastgroup or "end"
            self._tokens.append((kind, match.group(kind), match.start(kind)))
            if kind == "end":
                break
            at = match.end()
        self._at = 0

    def select(self) -> list[Selected]:
        """A whole select list."""
        items = [self._selected()]
        while self._take(","):
            items.append(self._selected())
        self._finish()
        return items

    def order(self) -> list[Ordered]:
        """A whole order list."""
        items = [self._ordered()]
        while self._take(","):
            items.append(self._ordered())
        self._finish()
        return items

    def group(self) -> list[Node]:
        """A whole group list."""
        items = [self._sum()]
        while self._take(","):
            items.append(self._sum())
        self._finish()
        return items

    def condition(self) -> Node:
        """A whole condition."""
        node = self._or()
        self._finish()
        return node

    def _selected(self) -> Selected:
        if self._take(":*"):
            return Selected(Star(system=True), None)
        if self._take("*"):
            return Selected(Star(), None)
        node = self._or()
        return Selected(node, self._name() if self._word("as") else None)

    def _ordered(self) -> Ordered:
        node = self._sum()
        descending = self._word("desc")
        if not descending:
            self._word("asc")
        if self._word("null"):
            self._need("nulls_position", self._word("first") or self._word("last"))
        return Ordered(node, descending)

    def _or(self) -> Node:
        node = self._and()
        while self._word("or"):
            node = Call("or", (node, self._and()))
        return node

    def _and(self) -> Node:
        node = self._not()
        while self._word("and"):
            node = Call("and", (node, self._not()))
        return node

    def _not(self) -> Node:
        return Call("not", (self._not(),)) if self._word("not") else self._comparison()

    def _comparison(self) -> Node:
        left = self._sum()
        operator = _COMPARISONS.get(self._peek()[1]) if self._peek()[0] == "op" else None
        if operator:
            self._at += 1
            return Call(operator, (left, self._sum()))
        if self._word("is"):
            negated = self._word("not")
            self._need("null", self._word("null"))
            return Call("is not null" if negated else "is null", (left,))
        negated = self._word("not")
        node = self._membership(left)
        if node is None:
            self._need("IN, BETWEEN or LIKE", not negated)
            return left
        return Call("not", (node,)) if negated else node

    def _membership(self, left: Node) -> Node | None:
        if self._word("in"):
            return Call("in", (left, *self._arguments()))
        if self._word("between"):
            low = self._sum()
            self._need("AND", self._word("and"))
            return Call("and", (Call(">=", (left, low)), Call("<=", (left, self._sum()))))
        if self._word("like"):
            return Call("like", (left, self._sum()))
        return None

    def _sum(self) -> Node:
        node = self._product()
        while (kind_value := self._peek())[0] == "op" and kind_value[1] in ("+", "-", "||"):
            self._at += 1
            node = Call(kind_value[1], (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._atom()
        while (kind_value := self._peek())[0] == "op" and kind_value[1] in ("*", "/", "%"):
            self._at += 1
            node = Call(kind_value[1], (node, self._atom()))
        return node

    def _atom(self) -> Node:
        kind, value, _ = self._peek()
        if self._take("("):
            node = self._or()
            self._need(")", self._take(")"))
            return node
        if self._take("-"):
            return Call("-", (Literal(0), self._atom()))
        if kind == "number":
            self._at += 1
            return Literal(float(value) if "." in value else int(value))
        if kind == "text":
            self._at += 1
            return Literal(value[1:-1].replace("''", "'"))
        word = value.lower()
        if kind == "name" and word in ("true", "false", "null"):
            self._at += 1
            return Literal({"true": True, "false": False, "null": None}[word])
        name = self._name()
        return Call(name.lower(), self._arguments()) if self._peek()[1] == "(" else Column(name)

    def _arguments(self) -> tuple[Node, ...]:
        self._need("(", self._take("("))
        if self._take(")"):
            return ()
        items: list[Node] = []
        while True:
            items.append(Star() if self._take("*") else self._or())
            if not self._take(","):
                break
        self._need(")", self._take(")"))
        return tuple(items)

    def _peek(self) -> tuple[str, str, int]:
        return self._tokens[self._at]

    def _take(self, op: str) -> bool:
        found = self._peek()[0] == "op" and self._peek()[1] == op
        self._at += found
        return found

    def _word(self, word: str) -> bool:
        found = self._peek()[0] == "name" and self._peek()[1].lower() == word
        self._at += found
        return found

    def _name(self) -> str:
        kind, value, _ = self._peek()
        self._need("a name", kind == "name" and value.lower() not in _RESERVED)
        self._at += 1
        return value.strip("`")

    def _need(self, expected: str, found: bool) -> None:
        if not found:
            raise malformed(self._text, at=self._peek()[2], expected=expected)

    def _finish(self) -> None:
        self._need("the end of the text", self._peek()[0] == "end")


_RESERVED = frozenset({"and", "or", "not", "is", "in", "between", "like", "as", "asc", "desc"})
