"""What a strategy is: a graph of shared nodes and a frozen budget."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from agent.meter import Budget

if TYPE_CHECKING:
    from agent.strategies.graph import Graph


@dataclass(frozen=True)
class Strategy:
    """One way from a question to an answer.

    Attributes:
        build: makes the compiled graph; imports LangGraph only when called.
        budget: the most one question may use.
        uses_model: a language model must be configured.
        uses_stage: the prompt stages apply.
        uses_relevance: the relevance rule of the arm applies.
    """

    name: str
    summary: str
    build: Callable[[], "Graph"]
    budget: Budget
    uses_model: bool = True
    uses_stage: bool = True
    uses_relevance: bool = True

    def graph(self) -> "Graph":
        """Return the compiled graph, built once per process."""
        return _graph(self)

    def draw_mermaid(self) -> str:
        """Return the graph as a Mermaid diagram."""
        return self.graph().get_graph().draw_mermaid()


@lru_cache(maxsize=64)
def _graph(strategy: Strategy) -> "Graph":
    return strategy.build()
