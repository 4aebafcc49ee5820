"""Building a LangGraph graph from the shared nodes; the one place that imports LangGraph, and only when it is used."""

import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

from agent.context import Context
from agent.state import State, Step

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    Graph: TypeAlias = CompiledStateGraph[State, Context, State, State]
else:
    Graph = Any

START = "__start__"
END = "__end__"
Node = Callable[[State, Context], dict[str, Any]]
Route = Callable[[State], Hashable]


class GraphBuilder:
    """Nodes and edges of a strategy, in the order they are written."""

    def __init__(self) -> None:
        from langgraph.graph import StateGraph

        self._graph = StateGraph(State, context_schema=Context)

    def node(self, name: str, work: Node) -> "GraphBuilder":
        """Add a node; its time is put into the trace."""
        from langgraph.runtime import Runtime

        def run(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
            started = time.perf_counter()
            update = work(state, runtime.context)
            note = str(update.pop("note", ""))
            step = Step(node=name, ms=(time.perf_counter() - started) * 1000, note=note)
            return {**update, "trace": (step,)}

        self._graph.add_node(name, run)
        return self

    def edge(self, start: str, end: str) -> "GraphBuilder":
        """Always go from one node to the next."""
        self._graph.add_edge(start, end)
        return self

    def branch(self, start: str, route: Route, ends: dict[Hashable, str]) -> "GraphBuilder":
        """Go where the route's answer says."""
        self._graph.add_conditional_edges(start, route, ends)
        return self

    def compile(self) -> "Graph":
        """Return the runnable graph."""
        return self._graph.compile()


def went_well(state: State) -> bool:
    """Route: whether the last node left no failure behind."""
    return state.get("failure") is None
