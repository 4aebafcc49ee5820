"""How many requests a client may make: a budget a minute without an application token, none with one."""

import time
from collections import deque
from threading import Lock

from include.source.simulator.errors import bad_token, throttled


class Throttle:
    """A sliding minute of requests without a token.

    Args:
        app_token: the one token that is known; None = any token is accepted.
        anonymous_per_minute: requests allowed without a token; None = no limit.
    """

    def __init__(self, app_token: str | None = None, *, anonymous_per_minute: int | None = None) -> None:
        self._token = app_token
        self._budget = anonymous_per_minute
        self._recent: deque[float] = deque()
        self._lock = Lock()

    def admit(self, token: str | None) -> None:
        """Let a request pass.

        Raises:
            RequestError: 403 for an unknown token, 429 for a request without one over the budget.
        """
        if token:
            if self._token is not None and token != self._token:
                raise bad_token()
            return
        if self._budget is None:
            return
        now = time.monotonic()
        with self._lock:
            while self._recent and self._recent[0] < now - 60:
                self._recent.popleft()
            if len(self._recent) >= self._budget:
                raise throttled()
            self._recent.append(now)
