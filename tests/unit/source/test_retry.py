import time

import pytest

from include.errors import TransientError
from include.settings import Settings
from include.source import BrokenBodyError, SourceBusyError, SourceRejectedError
from include.source.retry import with_retries

SETTINGS = Settings(source_attempts=4, source_backoff=0.001)


def failing(times: int, error: Exception):
    calls = []

    def call():
        calls.append(time.monotonic())
        if len(calls) <= times:
            raise error
        return "done"

    return call, calls


def test_a_passing_failure_is_repeated():
    call, calls = failing(3, BrokenBodyError("cut"))
    assert with_retries(call, settings=SETTINGS) == "done"
    assert len(calls) == 4


def test_the_last_error_is_raised_when_the_attempts_are_used_up():
    call, calls = failing(99, BrokenBodyError("cut"))
    with pytest.raises(TransientError, match="cut"):
        with_retries(call, settings=SETTINGS)
    assert len(calls) == 4


def test_a_lasting_failure_is_not_repeated():
    call, calls = failing(99, SourceRejectedError("400"))
    with pytest.raises(SourceRejectedError):
        with_retries(call, settings=SETTINGS)
    assert len(calls) == 1


def test_retry_after_is_waited_for():
    error = SourceBusyError("429")
    error.retry_after = 0.3
    call, calls = failing(1, error)
    with_retries(call, settings=SETTINGS)
    assert 0.3 <= calls[1] - calls[0] < 1.5
