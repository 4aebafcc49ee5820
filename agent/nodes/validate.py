"""Node: EXPLAIN the draft through the guard, without running it."""

from typing import Any

from agent.context import Context
from agent.guard import GuardRefusal, QueryFailed
from agent.nodes.failures import missing_sql, query_failure
from agent.state import Attempt, Failure, State

NODE = "validate"


def validate(state: State, context: Context) -> dict[str, Any]:
    """Let a plannable draft pass; anything else, a refusal of the guard included, uses up an attempt."""
    failure = _explain(state, context)
    if failure is None:
        return {"failure": None, "note": "the planner accepts it"}
    attempts = state.get("attempts", ())
    attempt = Attempt(number=len(attempts) + 1, sql=state["draft"].sql, failure=failure)
    return {"attempts": (attempt,), "failure": failure, "note": failure.message}


def _explain(state: State, context: Context) -> Failure | None:
    draft = state["draft"]
    if draft.sql is None:
        return missing_sql(draft)
    try:
        context.guard.explain(
            draft.sql, schema=context.snapshot.snapshot_id, caller=context.caller(NODE), limits=context.limits
        )
    except (GuardRefusal, QueryFailed) as error:
        return query_failure(error, node=NODE)
    return None
