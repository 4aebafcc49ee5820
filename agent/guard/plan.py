"""The second check, on the server's own plan: estimated cost, relations, functions.

It sees names as PostgreSQL resolved them, but not what was optimised away; it backs up the check of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent.guard.errors import GuardRefusal
from agent.guard.functions import PLAN_FUNCTIONS, PLAN_WORDS

_CALL = re.compile(
    r"""E?'(?:[^']|'')*' | ("(?:[^"]|"")*" | [a-z_][a-z0-9_.$]*) \s* (\()? """, re.VERBOSE | re.IGNORECASE
)
_TEXTS = frozenset(
    {"Output", "Filter", "Group Key", "Sort Key", "Presorted Key", "Index Cond", "Recheck Cond", "Hash Cond",
     "Merge Cond", "Join Filter", "One-Time Filter", "TID Cond", "Function Call", "Cache Key", "Run Condition",
     "Window", "Hash Key", "Hash Keys", "Group Keys", "Order By", "Conflict Filter"}
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What the planner says of a statement.

    Attributes:
        cost: estimated total cost.
        relations: (schema, name) of every relation read.
        functions: functions in FROM.
        calls: names that expressions of the plan call.
    """

    cost: float
    relations: frozenset[tuple[str, str]]
    functions: frozenset[str]
    calls: frozenset[str]


def read_plan(explained: list[dict[str, Any]]) -> Plan:
    """Read the output of EXPLAIN (FORMAT JSON, VERBOSE)."""
    root = explained[0]["Plan"]
    nodes = list(_nodes(root))
    return Plan(
        cost=float(root["Total Cost"]),
        relations=frozenset(
            (str(node.get("Schema", "")), str(node["Relation Name"])) for node in nodes if "Relation Name" in node
        ),
        functions=frozenset(str(node["Function Name"]) for node in nodes if "Function Name" in node),
        calls=frozenset(name for node in nodes for text in _texts(node) for name in _calls(text)),
    )


def check_plan(plan: Plan, *, schema: str, tables: frozenset[str], max_cost: float) -> None:
    """Judge a plan.

    Raises:
        GuardRefusal: by the rules `plan_relation`, `plan_function` and `cost`.
    """
    for where, name in sorted(plan.relations):
        if where != schema or name not in tables:
            raise GuardRefusal(f"the plan reads {where}.{name}", expected=f"tables of {schema}", rule="plan_relation")
    for name in sorted(plan.functions | plan.calls):
        if name not in PLAN_FUNCTIONS and not (name in plan.calls and name in PLAN_WORDS):
            raise GuardRefusal(
                f"the plan calls {name}()", expected="functions of the guard's list", rule="plan_function"
            )
    if plan.cost > max_cost:
        raise GuardRefusal(
            f"an estimated cost of {plan.cost:,.0f}",
            expected=f"at most {max_cost:,.0f}",
            action="join the tables on their keys and filter earlier",
            rule="cost",
        )


def _nodes(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.get("Plans", ()))


def _texts(node: dict[str, Any]) -> Iterator[str]:
    for key, value in node.items():
        if key not in _TEXTS:
            continue
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (text for text in value if isinstance(text, str))


def _calls(text: str) -> Iterator[str]:
    for match in _CALL.finditer(text):
        if match[1] and match[2]:
            name = match[1]
            yield name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()
