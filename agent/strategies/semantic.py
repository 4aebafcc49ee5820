"""Strategy `semantic`: no model at all; the semantic model and the stored values turn the question into SQL."""

from agent import nodes
from agent.meter import Budget
from agent.strategies.graph import END, START, Graph, GraphBuilder, went_well
from agent.strategies.strategy import Strategy

BUDGET = Budget(model_calls=0, attempts=1, seconds=60.0)


def build() -> Graph:
    """Return the compiled graph."""
    return (
        GraphBuilder()
        .node("relevance", nodes.relevance)
        .node("interpret", nodes.interpret)
        .node("validate", nodes.validate)
        .node("run", nodes.run)
        .node("answer", nodes.answer)
        .edge(START, "relevance")
        .branch("relevance", went_well, {True: "interpret", False: END})
        .branch("interpret", went_well, {True: "validate", False: END})
        .branch("validate", went_well, {True: "run", False: END})
        .branch("run", went_well, {True: "answer", False: END})
        .edge("answer", END)
        .compile()
    )


SEMANTIC = Strategy(
    name="semantic",
    summary="no model: relevance, interpret, validate, run, answer",
    build=build,
    budget=BUDGET,
    uses_model=False,
    uses_stage=False,
)
