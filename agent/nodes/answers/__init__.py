"""Answers: computed facts, deterministic texts, and the check of every number in a text."""

from agent.nodes.answers.check import unsupported_numbers
from agent.nodes.answers.facts import ColumnFacts, Facts, compute_facts
from agent.nodes.answers.narrate import narrate
from agent.nodes.answers.payload import first_rows, verified_payload

__all__ = [
    "ColumnFacts",
    "Facts",
    "compute_facts",
    "first_rows",
    "narrate",
    "unsupported_numbers",
    "verified_payload",
]
