"""Failures as they are: node, SQLSTATE, hint."""

from agent.guard import GuardRefusal, QueryFailed, QueryTimeout
from agent.state import Attempt, Draft, Failure, FailureKind

MANY_FAILURES = 3
_REPHRASE = "Please rephrase the question."


def failure_text(failure: Failure, *, attempts: tuple[Attempt, ...] = ()) -> str:
    """Return what the reader is told instead of an answer.

    After three failed attempts it is the fixed message of `agent_2`: what failed, then the request to rephrase.
    """
    detail = _detail(failure)
    failed = sum(attempt.failure is not None for attempt in attempts)
    if failed >= MANY_FAILURES:
        return f"No query for this question passed in {failed} attempts. The last failed in {detail} {_REPHRASE}"
    return _OPENINGS[failure.kind].format(detail=detail, message=_sentence(failure.message))


def query_failure(error: GuardRefusal | QueryFailed, *, node: str) -> Failure:
    """Return the failure of a node whose query the guard refused or the database would not run."""
    if isinstance(error, GuardRefusal):
        return Failure(node=node, kind="refused", message=error.seen, hint=error.action or None, rule=error.rule)
    kind: FailureKind = "timeout" if isinstance(error, QueryTimeout) else "invalid"
    return Failure(
        node=node, kind=kind, message=error.message, sqlstate=error.sqlstate, hint=error.hint or error.action or None
    )


def missing_sql(draft: Draft) -> Failure:
    """Return the failure of a reply without SQL; one that was cut says so."""
    if draft.finish_reason == "length":
        message = "the answer was cut at the token limit before the SQL was complete"
        return Failure(node="generate", kind="length", message=message, hint="write shorter SQL and nothing else")
    message = "the answer holds no SQL"
    return Failure(node="generate", kind="no_sql", message=message, hint="write one SELECT statement and nothing else")


_OPENINGS = {
    "out_of_scope": "This question is outside the data: {message}",
    "not_understood": "No query was made, because the question was not fully understood: {message}",
    "no_sql": "No query was made: {detail}",
    "length": "No query was made: {detail}",
    "refused": "The query was refused before it could run: {detail}",
    "invalid": "The query failed in {detail}",
    "timeout": "The query was stopped in {detail}",
    "budget": "The question was given up: {message}",
    "infrastructure": "The question could not be worked on: {message}",
}


def _detail(failure: Failure) -> str:
    codes = [failure.node]
    if failure.sqlstate:
        codes.append(f"SQLSTATE {failure.sqlstate}")
    if failure.rule:
        codes.append(f"rule {failure.rule}")
    text = f"{', '.join(codes)}: {_sentence(failure.message)}"
    return text if not failure.hint else f"{text} Hint: {_sentence(failure.hint)}"


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
