"""Evaluating SoQL expressions over blocks of rows."""

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from include.source.simulator.errors import no_such_column, query_error
from include.source.simulator.fields import Field
from include.source.simulator.functions import FUNCTIONS, Function
from include.source.simulator.soql import Call, Column, Literal, Node
from include.source.simulator.values import Value, coerce, mismatch, of_literal

AGGREGATES = frozenset({"count", "sum", "min", "max", "avg"})
_COMPARE: dict[str, Callable[..., pa.Array]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


class Scope:
    """Where an expression finds its columns: a reader of fields, and nodes whose values are known already."""

    def __init__(
        self,
        fields: Mapping[str, Field],
        read: Callable[[str], pa.Array],
        *,
        known: Mapping[Node, Value] | None = None,
    ) -> None:
        self._fields = fields
        self._read = read
        self._known = dict(known or {})

    def value(self, node: Node) -> Value:
        """The value of an expression.

        Raises:
            RequestError: 400 for an unknown column or function, or a type that does not fit.
        """
        if node not in self._known:
            self._known[node] = self._compute(node)
        return self._known[node]

    def truth(self, node: Node) -> pa.Array | pa.Scalar:
        """The value of a condition; null counts as false when filtering.

        Raises:
            RequestError: 400 when the expression is not a condition.
        """
        value = self.value(node)
        if value.type not in ("checkbox", "null"):
            raise query_error("non-boolean-where", "Cannot filter by an expression of type " + value.type)
        return value.data

    def _compute(self, node: Node) -> Value:
        if isinstance(node, Column):
            field = self._fields.get(node.name)
            if field is None:
                raise no_such_column(node.name)
            return Value(field.type, _plain(self._read(node.name)))
        if isinstance(node, Literal):
            return of_literal(node)
        if not isinstance(node, Call):
            raise query_error("no-such-function", "* is only allowed in count(*)")
        if node.name in _COMPARE:
            return self._compared(node)
        if node.name == "in":
            parts: list[Node] = [Call("=", (node.args[0], item)) for item in node.args[1:]]
            return self._connected("or", parts)
        if node.name in ("and", "or"):
            return self._connected(node.name, list(node.args))
        return self._called(node)

    def _compared(self, node: Call) -> Value:
        left, right = self._alike(node.args[0], node.args[1], operator=f"op${node.name}")
        if "null" in (left.type, right.type):
            return Value("checkbox", pa.scalar(None, pa.bool_()))
        return Value("checkbox", _COMPARE[node.name](left.data, right.data))

    def _alike(self, left: Node, right: Node, *, operator: str) -> tuple[Value, Value]:
        if isinstance(right, Literal) and not isinstance(left, Literal):
            value = self.value(left)
            return value, coerce(right, value.type, operator=operator)
        if isinstance(left, Literal) and not isinstance(right, Literal):
            value = self.value(right)
            return coerce(left, value.type, operator=operator), value
        first, second = self.value(left), self.value(right)
        if first.type != second.type and "null" not in (first.type, second.type):
            raise mismatch(operator, second.type)
        return first, second

    def _connected(self, operator: str, parts: list[Node]) -> Value:
        combine = pc.and_kleene if operator == "and" else pc.or_kleene
        result: pa.Array | pa.Scalar | None = None
        for part in parts:
            truth = self.truth(part)
            truth = truth.cast(pa.bool_()) if isinstance(truth, pa.Scalar) else truth
            result = truth if result is None else combine(result, truth)
        if result is None:
            raise mismatch(operator, "nothing")
        return Value("checkbox", result)

    def _called(self, node: Call) -> Value:
        function: Function | None = FUNCTIONS.get(node.name)
        if node.name in AGGREGATES:
            raise query_error("aggregate-in-ungrouped-context", f"Cannot use aggregate function {node.name} here")
        if function is None or len(node.args) != len(function.takes):
            raise query_error("no-such-function", f"No such function: {node.name}", function=node.name)
        arguments = []
        for wanted, argument in zip(function.takes, node.args, strict=True):
            value = self.value(argument)
            if value.type not in wanted and "any" not in wanted:
                if not isinstance(argument, Literal):
                    raise mismatch(node.name, value.type)
                value = coerce(argument, wanted[0], operator=node.name)
            arguments.append(value)
        return Value(function.gives, function.apply(*(value.data for value in arguments)))


def _plain(values: pa.Array) -> pa.Array:
    """Text without its dictionary, times in milliseconds, so that literals compare with them."""
    if pa.types.is_dictionary(values.type):
        return values.cast(pa.string())
    if pa.types.is_timestamp(values.type):
        return values.cast(pa.timestamp("ms"))
    return values
