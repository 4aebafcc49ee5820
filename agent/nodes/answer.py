"""Node: from rows to words, in one of two modes; both texts are kept."""

from typing import Any

from agent.context import Context
from agent.llm import ModelError
from agent.meter import BudgetExceededError
from agent.nodes.answers import compute_facts, first_rows, narrate, unsupported_numbers, verified_payload
from agent.prompts import load_prompt
from agent.state import AnswerTexts, State


def answer(state: State, context: Context) -> dict[str, Any]:
    """Answer from the result.

    `paper`: the model narrates the first rows, its text is shown untouched and the check only observes. `verified`: the
    model also gets computed facts; a text with an unsupported number gives way to the deterministic one. Rows that were
    found are never thrown away: when the model cannot be asked any more, the deterministic text is shown.
    """
    result = state["result"]
    facts = compute_facts(result)
    deterministic = narrate(result, facts)
    text, note = _ask_model(state, context)
    texts = AnswerTexts(model=text, deterministic=deterministic)
    unsupported = unsupported_numbers(text or deterministic, question=state["question"], result=result, facts=facts)
    kept = text if text is not None and (context.answers == "paper" or not unsupported) else deterministic
    if text is not None and kept is not text:
        note = f"the model's text was replaced: {', '.join(unsupported)} not found in the result"
    return {"answer": kept, "answer_texts": texts, "unsupported_numbers": unsupported, "failure": None, "note": note}


def _ask_model(state: State, context: Context) -> tuple[str | None, str]:
    if context.model is None:
        return None, "deterministic"
    result, question, sql = state["result"], state["question"], state["draft"].sql or ""
    try:
        if context.answers == "paper":
            reply = context.complete(load_prompt("answer_paper.md"), first_rows(question, sql=sql, result=result))
        else:
            payload = verified_payload(question, sql=sql, result=result, facts=compute_facts(result))
            reply = context.complete(load_prompt("answer.md"), payload)
    except (ModelError, BudgetExceededError) as error:
        return None, f"deterministic, because the model could not be asked: {error.seen}"
    return (reply.text, "the model's text") if reply.text else (None, "deterministic, because the model wrote nothing")
