"""One question, from text to answer: pins a snapshot, runs the strategy's graph, reports what happened."""

from contextlib import ExitStack
from functools import lru_cache
from threading import Lock
from typing import cast

import psycopg

from agent.answered import Asked
from agent.arms import Arm, resolve_arm
from agent.context import Context
from agent.guard import Guard, Limits
from agent.llm import ModelError, open_model
from agent.meter import BudgetExceededError, Meter
from agent.semantic import Vocabulary, load_vocabulary
from agent.state import Failure, State
from agent.strategies import Strategy
from include.errors import TransientError, UsageError
from include.settings import Settings
from include.warehouse import Snapshot, Warehouse, require_snapshot

_VOCABULARY_LOCK = Lock()

MAX_QUESTION = 2_000
"""Characters."""


def ask(
    question: str,
    *,
    arm: Arm,
    warehouse: Warehouse,
    settings: Settings,
    snapshot_id: str | None = None,
    interface: str = "cli",
    limits: Limits | None = None,
    guard: Guard | None = None,
    snapshot: Snapshot | None = None,
) -> Asked:
    """Answer one question with one arm on one snapshot.

    A question that cannot be answered is no exception: the result says which node failed and how. A fault of the
    provider or the database in the middle of the work gives the outcome `infrastructure`.

    Args:
        question: plain English; it is data to every node, never SQL.
        arm: what to run; see `agent.arms`.
        warehouse: where the snapshot lies.
        settings: provider keys, limits, cache directory.
        snapshot_id: None = the published one.
        interface: who asks, for the query audit.
        limits: None = those for people asking.
        guard: an open guard to share between questions; None = one for this question.
        snapshot: the snapshot itself, when the caller has looked it up (or the schema is no snapshot on record).

    Raises:
        UsageError: empty or overlong question, unknown strategy, stage, rule, model or snapshot, missing provider key.
        RefusedError: no snapshot is published, or the database role could write.
        TransientError: the warehouse is down.
    """
    question = _clean(question)
    arm, strategy = resolve_arm(arm)
    model = open_model(arm.model, settings=settings) if strategy.uses_model else None
    pinned = snapshot or _pin(warehouse, snapshot_id)
    with ExitStack() as stack:
        guard = guard or stack.enter_context(Guard(warehouse, settings=settings))
        meter = stack.enter_context(Meter(strategy.budget))
        context = Context(
            question=question,
            interface=interface,
            stage=arm.stage,
            relevance_rule=arm.relevance,
            answers=arm.answers,
            meter=meter,
            guard=guard,
            limits=limits or Limits.for_ask(settings),
            warehouse=warehouse,
            snapshot=pinned,
            vocabulary=lambda: _shared_vocabulary(warehouse, pinned, settings),
            model=model,
        )
        state = _run(strategy, context)
    return Asked.from_state(state, arm=arm, snapshot_id=pinned.snapshot_id, model=model, meter=meter)


def _clean(question: str) -> str:
    """White space collapsed; characters that nothing can print, a null byte for instance, are white space too."""
    question = " ".join("".join(char if char.isprintable() else " " for char in question).split())
    if not question:
        raise UsageError("the question is empty", expected="a question in plain English", action="write one")
    if len(question) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(question):,} characters",
            expected=f"at most {MAX_QUESTION:,}",
            action="ask for one thing at a time",
        )
    return question


def _pin(warehouse: Warehouse, snapshot_id: str | None) -> Snapshot:
    with warehouse.owner() as connection:
        return require_snapshot(connection, snapshot_id)


def _run(strategy: Strategy, context: Context) -> State:
    """Run the graph; when it is cut short, return what was reached with the reason."""
    state: State = {"question": context.question}
    try:
        for reached in strategy.graph().stream(state, context=context, stream_mode="values"):
            state = cast(State, reached)
    except BudgetExceededError as error:
        failure = Failure(node="budget", kind="budget", message=error.seen, hint=error.action)
        state = {**state, "failure": failure}
    except (TransientError, ModelError) as error:
        failure = Failure(node="infrastructure", kind="infrastructure", message=error.seen, hint=error.action)
        state = {**state, "failure": failure}
    except psycopg.Error as error:
        # Our own reading of schema or stored values failed: SQL of a model goes through the guard, which translates.
        message = f"the database did not answer a query of the platform: {str(error).splitlines()[0]}"
        failure = Failure(node="infrastructure", kind="infrastructure", message=message, sqlstate=error.sqlstate)
        state = {**state, "failure": failure}
    return state


def _shared_vocabulary(warehouse: Warehouse, snapshot: Snapshot, settings: Settings) -> Vocabulary:
    # One thread reads it, the others wait: `lru_cache` alone would let all of them read it at once.
    with _VOCABULARY_LOCK:
        return _vocabulary(warehouse, snapshot, settings)


@lru_cache(maxsize=4)
def _vocabulary(warehouse: Warehouse, snapshot: Snapshot, settings: Settings) -> Vocabulary:
    with warehouse.reader() as connection:
        return load_vocabulary(connection, snapshot, cache_dir=settings.home / "cache")
