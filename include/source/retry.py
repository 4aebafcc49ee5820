"""Retries of requests to the source."""

import logging
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from include.errors import TransientError
from include.settings import Settings

log = logging.getLogger(__name__)
T = TypeVar("T")
LONGEST_WAIT = 300.0
"""Seconds; a longer Retry-After is cut to it."""


def with_retries(call: Callable[[], T], *, settings: Settings) -> T:
    """Return what `call` returns, repeating it on a `TransientError` up to `settings.source_attempts` times.

    Waits as long as the source asked (Retry-After), else with growing, jittered pauses from `settings.source_backoff`.

    Raises:
        TransientError: that of the last attempt.
    """
    growing = wait_exponential_jitter(
        multiplier=settings.source_backoff, max=60.0, jitter=min(1.0, settings.source_backoff)
    )

    def pause(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = getattr(error, "retry_after", None)
        return growing(state) if asked is None else min(float(asked), LONGEST_WAIT)

    retrying = Retrying(
        stop=stop_after_attempt(settings.source_attempts),
        wait=pause,
        retry=retry_if_exception_type(TransientError),
        before_sleep=_say,
        reraise=True,
    )
    return retrying(call)


def _say(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    pause = state.next_action.sleep if state.next_action else 0.0
    log.warning("attempt %d: %s; again in %.1f s", state.attempt_number, error, pause)
