"""Node: the model writes SQL; earlier failures of this question are fed back to it."""

from typing import Any

from agent.context import Context
from agent.nodes.extract import extract_sql
from agent.prompts import load_prompt, stage_prompt
from agent.state import Attempt, Draft, State


def generate(state: State, context: Context) -> dict[str, Any]:
    """Ask for SQL: the stage is the system message; schema, question and failed attempts are the user message."""
    reply = context.complete(stage_prompt(context.stage), user_message(state))
    sql = extract_sql(reply.text, was_cut=reply.finish_reason == "length")
    draft = Draft(sql=sql, text=reply.text, finish_reason=reply.finish_reason)
    return {"draft": draft, "failure": None, "note": f"{reply.tokens_in} + {reply.tokens_out} tokens"}


def user_message(state: State) -> str:
    """Return the user message: the same at every stage."""
    message = load_prompt("question.md").format(schema=state["schema"], question=state["question"])
    for attempt in state.get("attempts", ()):
        message += "\n\n" + _feedback(attempt)
    return message.rstrip()


def _feedback(attempt: Attempt) -> str:
    failure = attempt.failure
    assert failure is not None, "a question with a query that passed generates no more"
    error = failure.message
    if failure.sqlstate:
        error = f"{error} (SQLSTATE {failure.sqlstate})"
    if failure.hint:
        error = f"{error}. Hint: {failure.hint}"
    return load_prompt("retry.md").format(number=attempt.number, sql=attempt.sql or "(no SQL)", error=error)
