"""Faults of a provider, told apart by what they ask of us; none of them is a wrong answer of the model."""

import re
from dataclasses import dataclass
from typing import Literal

from include.errors import PlatformError, TerminalError, TransientError

LimitKind = Literal[
    "requests_per_minute", "tokens_per_minute", "requests_per_day", "tokens_per_day", "too_large", "quota"
]
_WINDOWS: tuple[tuple[str, LimitKind], ...] = (
    (r"tokens per day|\(TPD\)", "tokens_per_day"),
    (r"requests per day|\(RPD\)", "requests_per_day"),
    (r"tokens per minute|\(TPM\)", "tokens_per_minute"),
    (r"requests per minute|\(RPM\)", "requests_per_minute"),
)
_TOO_LARGE = re.compile(
    r"request too large|context_length_exceeded|maximum context length|prompt is too long|reduce your message size"
    r"|reduce the length of the messages",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|credit balance is too low|exceeded your current quota", re.IGNORECASE)


class ModelError(PlatformError):
    """The provider did not answer: an infrastructure fault, not the model's."""


class ModelUnavailableError(ModelError, TransientError):
    """No connection, a time-out or a server error, after all retries."""


class ModelThrottledError(ModelError, TransientError):
    """The rate limit would not let the request through within the time left."""


class ModelRefusedError(ModelError, TerminalError):
    """The provider refuses the key, the model's name or the form of the request."""


class DailyQuotaError(ModelError, TerminalError):
    """The day's or the account's quota is used up: stop, waiting minutes does not help."""


class RequestTooLargeError(ModelError, TerminalError):
    """The request is larger than the provider takes: sending it again cannot help."""


@dataclass(frozen=True)
class Limit:
    """A limit that a provider reported: its kind and, where the text says so, its size per window."""

    kind: LimitKind
    size: int | None = None


def read_limit(status: int | None, text: str) -> Limit | None:
    """Tell which limit a provider's error is about; None = it is about something else."""
    if status == 413 or _TOO_LARGE.search(text):
        return Limit("too_large", _limit_size(text))
    if _QUOTA.search(text):
        return Limit("quota")
    if status != 429:
        return None
    for pattern, kind in _WINDOWS:
        if re.search(pattern, text, re.IGNORECASE):
            return Limit(kind, _limit_size(text))
    return Limit("requests_per_minute")


def _limit_size(text: str) -> int | None:
    found = re.search(r"\blimit:?\s+(\d+)", text, re.IGNORECASE)
    return int(found.group(1)) if found else None
