"""Strategy `agent_1` of the source paper: schema, generate, run, answer; one attempt, no questions asked."""

from agent import nodes
from agent.meter import Budget
from agent.strategies.graph import END, START, Graph, GraphBuilder, went_well
from agent.strategies.strategy import Strategy

BUDGET = Budget(model_calls=2, attempts=1, seconds=180.0)


def build() -> Graph:
    """Return the compiled graph."""
    return (
        GraphBuilder()
        .node("schema", nodes.schema)
        .node("generate", nodes.generate)
        .node("run", nodes.run)
        .node("answer", nodes.answer)
        .edge(START, "schema")
        .edge("schema", "generate")
        .edge("generate", "run")
        .branch("run", went_well, {True: "answer", False: END})
        .edge("answer", END)
        .compile()
    )


AGENT_1 = Strategy(
    name="agent_1",
    summary="schema, generate, run, answer",
    build=build,
    budget=BUDGET,
    uses_relevance=False,
)
