"""Strategy `agent_2` of the source paper: all six nodes; EXPLAIN validates, failures are fed back, three attempts."""

from agent import nodes
from agent.meter import Budget
from agent.state import State
from agent.strategies.graph import END, START, Graph, GraphBuilder, went_well
from agent.strategies.strategy import Strategy

BUDGET = Budget(model_calls=4, attempts=3, seconds=180.0)


def build() -> Graph:
    """Return the compiled graph."""
    return (
        GraphBuilder()
        .node("relevance", nodes.relevance)
        .node("schema", nodes.schema)
        .node("generate", nodes.generate)
        .node("validate", nodes.validate)
        .node("run", nodes.run)
        .node("answer", nodes.answer)
        .edge(START, "relevance")
        .branch("relevance", went_well, {True: "schema", False: END})
        .edge("schema", "generate")
        .edge("generate", "validate")
        .branch("validate", after_validation, {"passed": "run", "again": "generate", "given up": END})
        .branch("run", went_well, {True: "answer", False: END})
        .edge("answer", END)
        .compile()
    )


def after_validation(state: State) -> str:
    """Route: run what passed, else try again until the attempts are used up."""
    if went_well(state):
        return "passed"
    return "again" if len(state["attempts"]) < BUDGET.attempts else "given up"


AGENT_2 = Strategy(
    name="agent_2",
    summary="relevance, schema, generate, validate (at most three attempts), run, answer",
    build=build,
    budget=BUDGET,
)
