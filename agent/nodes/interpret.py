"""Node: question to SQL without a model, by the semantic model."""

from typing import Any

from agent import semantic
from agent.context import Context
from agent.state import Draft, Failure, State


def interpret(state: State, context: Context) -> dict[str, Any]:
    """Write SQL for what was understood; a question with words that were not understood is refused."""
    read = semantic.interpret(state["question"], vocabulary=context.vocabulary())
    update: dict[str, Any] = {"understood": read.understood, "ignored": tuple(read.ignored), "note": read.understood}
    if read.sql is None:
        message = read.refusal or "the question was not understood"
        hint = "name what to count, for which crimes, places or times, and by what"
        update["failure"] = Failure(node="interpret", kind="not_understood", message=message, hint=hint)
        update["note"] = message
    else:
        update["draft"] = Draft(sql=read.sql, text=read.sql)
    return update
