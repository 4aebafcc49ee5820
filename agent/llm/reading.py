"""Reading a provider's messages and refusals."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# The providers' words for why a reply ended, in OpenAI's.
_REASONS = {"max_tokens": "length", "max_output_tokens": "length", "end_turn": "stop", "stop_sequence": "stop"}
_AGAIN_IN = re.compile(r"try again in (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?", re.IGNORECASE)


@dataclass(frozen=True)
class ReadReply:
    """Text, finish reason and token counts of a message."""

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int


def read_reply(message: "BaseMessage") -> ReadReply:
    """Read a LangChain message of any provider; thinking between tags is dropped."""
    metadata = message.response_metadata
    reason = str(metadata.get("finish_reason") or metadata.get("stop_reason") or "stop")
    usage = getattr(message, "usage_metadata", None) or {}
    return ReadReply(
        text=_THINKING.sub("", str(message.text)).strip(),
        finish_reason=_REASONS.get(reason, reason),
        tokens_in=int(usage.get("input_tokens", 0)),
        tokens_out=int(usage.get("output_tokens", 0)),
    )


def retry_after(error: Exception, text: str) -> float | None:
    """Return the seconds a provider asks us to wait: the Retry-After header, else its message; None = it does not."""
    response = getattr(error, "response", None)
    header = None if response is None else response.headers.get("retry-after")
    if header:
        try:
            return max(0.0, float(header))
        except ValueError:
            return _seconds_until(header)
    found = _AGAIN_IN.search(text)
    if not found or not any(found.groups()):
        return None
    hours, minutes, seconds, unit = found.groups()
    last = float(seconds or 0) / (1000 if (unit or "").lower() == "ms" else 1)
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + last


def _seconds_until(http_date: str) -> float | None:
    try:
        at = parsedate_to_datetime(http_date)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds())
