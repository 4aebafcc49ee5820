"""Node: run the draft through the guard."""

from typing import Any

from agent.context import Context
from agent.guard import GuardRefusal, QueryFailed
from agent.nodes.failures import missing_sql, query_failure
from agent.state import Attempt, State

NODE = "run"


def run(state: State, context: Context) -> dict[str, Any]:
    """Execute the draft on the pinned snapshot; the last attempt of a question is the one that was run."""
    draft = state["draft"]
    number = len(state.get("attempts", ())) + 1
    if draft.sql is None:
        failure = missing_sql(draft)
        return {"attempts": (Attempt(number, None, failure),), "failure": failure, "note": failure.message}
    try:
        result = context.guard.execute(
            draft.sql, schema=context.snapshot.snapshot_id, caller=context.caller(NODE), limits=context.limits
        )
    except (GuardRefusal, QueryFailed) as error:
        failure = query_failure(error, node=NODE)
        return {"attempts": (Attempt(number, draft.sql, failure),), "failure": failure, "note": failure.message}
    note = f"{result.row_count} rows" + (" (truncated)" if result.truncated else "")
    return {"attempts": (Attempt(number, draft.sql),), "failure": None, "result": result, "note": note}
