import subprocess
import sys

import pytest

from agent.strategies import STRATEGIES

PATHS = {
    "agent_1": ["schema", "generate", "run", "answer"],
    "agent_2": ["relevance", "schema", "generate", "validate", "run", "answer"],
    "semantic": ["relevance", "interpret", "validate", "run", "answer"],
}


@pytest.mark.parametrize("name", PATHS)
def test_the_graph_has_the_designs_nodes_and_draws(name):
    strategy = STRATEGIES[name]
    nodes = [node for node in strategy.graph().get_graph().nodes if not node.startswith("__")]
    assert nodes == PATHS[name]
    drawn = strategy.draw_mermaid()
    assert drawn.startswith("---") or drawn.startswith("graph")
    assert all(node in drawn for node in nodes)


def test_a_graph_is_built_once():
    assert STRATEGIES["agent_1"].graph() is STRATEGIES["agent_1"].graph()


@pytest.mark.parametrize(
    ("name", "calls", "attempts", "tokens"), [("agent_1", 2, 1, 500), ("agent_2", 4, 3, 500), ("semantic", 0, 1, 500)]
)
def test_budgets(name, calls, attempts, tokens):
    budget = STRATEGIES[name].budget
    assert (budget.model_calls, budget.attempts, budget.max_output_tokens, budget.temperature) == (
        calls,
        attempts,
        tokens,
        0.0,
    )


def test_importing_the_agent_imports_neither_langchain_nor_langgraph():
    program = (
        "import sys, agent.ask, agent.arms; "
        "print([n for n in sys.modules if n.split('.')[0] in"
        " ('langgraph', 'langchain_core', 'langchain_groq', 'langchain_openai', 'openai', 'groq', 'anthropic')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
