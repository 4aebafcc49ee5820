"""A token bucket per process and model: requests wait here instead of being refused by the provider."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_WINDOW = 60.0


@dataclass
class Bucket:
    """Tokens and requests that may still be sent this minute. Safe to share between threads.

    Attributes:
        tokens_per_minute: None = not limited, until the provider tells a size.
        requests_per_minute: the same.
    """

    tokens_per_minute: int | None = None
    requests_per_minute: int | None = None
    clock: Callable[[], float] = time.monotonic
    _tokens: float = field(default=0.0, init=False)
    _requests: float = field(default=0.0, init=False)
    _at: float = field(default=0.0, init=False)
    _closed_until: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self._tokens = float(self.tokens_per_minute or 0)
        self._requests = float(self.requests_per_minute or 0)
        self._at = self.clock()

    def take(self, tokens: int) -> float:
        """Book one request of so many tokens; return 0.0, or book nothing and return the seconds to wait."""
        with self._lock:
            now = self.clock()
            self._refill(now)
            wait = max(
                self._closed_until - now,
                _wait(tokens, self._tokens, self.tokens_per_minute),
                _wait(1, self._requests, self.requests_per_minute),
            )
            if wait > 0:
                return wait
            self._tokens -= tokens
            self._requests -= 1
            return 0.0

    def give_back(self, tokens: int) -> None:
        """Return booked tokens that were not used."""
        with self._lock:
            self._tokens = min(self._tokens + tokens, float(self.tokens_per_minute or 0))

    def close(self, seconds: float) -> None:
        """Let nothing through for so long: the provider asked for it."""
        with self._lock:
            self._closed_until = max(self._closed_until, self.clock() + seconds)

    def learn_tokens(self, per_minute: int, *, left: int) -> None:
        """Take over a token limit the provider has told us; so many tokens count as left in this minute."""
        with self._lock:
            self._refill(self.clock())
            self.tokens_per_minute, self._tokens = per_minute, float(min(left, per_minute))

    def learn_requests(self, per_minute: int) -> None:
        """Take over a request limit the provider has told us; one request counts as left in this minute."""
        with self._lock:
            self._refill(self.clock())
            self.requests_per_minute, self._requests = per_minute, 1.0

    def _refill(self, now: float) -> None:
        share = (now - self._at) / _WINDOW
        self._at = now
        if self.tokens_per_minute is not None:
            self._tokens = min(self._tokens + share * self.tokens_per_minute, float(self.tokens_per_minute))
        if self.requests_per_minute is not None:
            self._requests = min(self._requests + share * self.requests_per_minute, float(self.requests_per_minute))


def _wait(wanted: float, left: float, per_minute: int | None) -> float:
    """Seconds until `wanted` is there; more than a whole bucket waits for a full one."""
    if per_minute is None:
        return 0.0
    return max(0.0, min(wanted, per_minute) - left) / per_minute * _WINDOW


_BUCKETS: dict[tuple[str, int | None, int | None], Bucket] = {}


def bucket_of(model: str, *, tokens_per_minute: int | None, requests_per_minute: int | None) -> Bucket:
    """Return the bucket that all users of a model share in this process."""
    fresh = Bucket(tokens_per_minute, requests_per_minute)
    return _BUCKETS.setdefault((model, tokens_per_minute, requests_per_minute), fresh)
