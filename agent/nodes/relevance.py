"""Node: is the question about this data at all?"""

from typing import Any

from agent.context import Context
from agent.nodes.paper_relevance import paper_relevance
from agent.semantic import vocabulary_relevance
from agent.state import Failure, RelevanceVerdict, State


def relevance(state: State, context: Context) -> dict[str, Any]:
    """Judge the question by the rule its arm names; only `out_of_scope` ends it."""
    verdict = _judge(state["question"], context)
    update: dict[str, Any] = {"relevance": verdict, "note": f"{verdict.rule}: {verdict.verdict}; {verdict.reason}"}
    if verdict.verdict == "out_of_scope":
        update["failure"] = Failure(node="relevance", kind="out_of_scope", message=verdict.reason, rule=verdict.rule)
    return update


def _judge(question: str, context: Context) -> RelevanceVerdict:
    if context.relevance_rule == "paper":
        return paper_relevance(question)
    judged = vocabulary_relevance(question, vocabulary=context.vocabulary())
    return RelevanceVerdict(rule="vocabulary", verdict=judged.verdict, reason=judged.reason)
