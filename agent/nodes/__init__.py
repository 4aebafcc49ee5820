"""The shared nodes: each takes the state and the context of one question and returns what it adds."""

from agent.nodes.answer import answer
from agent.nodes.failures import failure_text
from agent.nodes.generate import generate
from agent.nodes.interpret import interpret
from agent.nodes.paper_relevance import paper_relevance
from agent.nodes.relevance import relevance
from agent.nodes.run import run
from agent.nodes.schema import schema
from agent.nodes.validate import validate

__all__ = [
    "answer",
    "failure_text",
    "generate",
    "interpret",
    "paper_relevance",
    "relevance",
    "run",
    "schema",
    "validate",
]
