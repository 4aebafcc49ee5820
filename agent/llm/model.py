"""One model of one provider: asks, waits for rate limits, retries what is worth it, counts tokens and cost."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent.llm.bucket import Bucket
from agent.llm.errors import (
    DailyQuotaError,
    Limit,
    ModelError,
    ModelRefusedError,
    ModelThrottledError,
    ModelUnavailableError,
    RequestTooLargeError,
    read_limit,
)
from agent.llm.prices import price_of
from agent.llm.reading import read_reply, retry_after

if TYPE_CHECKING:
    from agent.llm.providers import Chat

_CHARACTERS_PER_TOKEN = 3.5
# What the clients raise on an answer of another form: HTML, an empty object, no choices.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)


@dataclass(frozen=True)
class Reply:
    """A model's answer to one request.

    Attributes:
        text: what it wrote, thinking removed.
        finish_reason: `stop`, or `length` when it was cut at the token limit.
        seconds: wall clock of the request that succeeded, waiting and retries apart.
        cost: US dollars; 0 when the model has no known price.
    """

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int
    seconds: float
    cost: float


@dataclass(frozen=True)
class Model:
    """A model that is ready to be asked. Safe to share between threads.

    Attributes:
        name: `provider:model`.
        max_attempts: sends of one request when the provider throttles or is down.
    """

    name: str
    chat: "Chat"
    bucket: Bucket
    max_attempts: int = 5
    sleep: Callable[[float], None] = time.sleep

    def complete(self, system: str, *, user: str, max_tokens: int, temperature: float, patience: float) -> Reply:
        """Ask once.

        Args:
            system: the system message.
            user: the user message.
            max_tokens: output limit.
            temperature: sampling temperature.
            patience: seconds that may be spent waiting for rate limits and on retries.

        Raises:
            ModelThrottledError: the rate limit needs a longer wait than the patience left.
            DailyQuotaError: the quota of the day or the account is used up.
            RequestTooLargeError: the provider takes no request of this size.
            ModelRefusedError: wrong key, model name or request.
            ModelUnavailableError: every send failed.
        """
        deadline = time.monotonic() + patience
        booked = int((len(system) + len(user)) / _CHARACTERS_PER_TOKEN) + max_tokens
        error: ModelError | None = None
        for attempt in range(self.max_attempts):
            self._wait_for_bucket(booked, deadline)
            try:
                reply = self._send(system, user, self.chat.options(max_tokens, temperature))
            except self.chat.error as raised:
                error, wait = self._judge(raised, attempt, booked)
                if attempt + 1 < self.max_attempts:
                    self._pause(wait, deadline, error)
            else:
                self.bucket.give_back(booked - reply.tokens_in - reply.tokens_out)
                return reply
        assert error is not None
        raise error

    def _send(self, system: str, user: str, options: dict[str, Any]) -> Reply:
        from langchain_core.messages import HumanMessage, SystemMessage

        started = time.monotonic()
        try:
            read = read_reply(self.chat.model.invoke([SystemMessage(system), HumanMessage(user)], **options))
        except _UNREADABLE as error:
            raise ModelUnavailableError(
                f"{self.name} answered something that is no chat completion: {error}",
                action="check that the base URL is that of the provider's API",
            ) from error
        return Reply(
            text=read.text,
            finish_reason=read.finish_reason,
            tokens_in=read.tokens_in,
            tokens_out=read.tokens_out,
            seconds=time.monotonic() - started,
            cost=price_of(self.name).cost(read.tokens_in, read.tokens_out),
        )

    def _wait_for_bucket(self, tokens: int, deadline: float) -> None:
        while (wait := self.bucket.take(tokens)) > 0:
            self._pause(wait, deadline, _throttled(self.name, "the rate limit of this process is reached"))

    def _pause(self, wait: float, deadline: float, error: ModelError) -> None:
        if time.monotonic() + wait > deadline:
            raise error
        self.sleep(wait)

    def _judge(self, raised: Exception, attempt: int, booked: int) -> tuple[ModelError, float]:
        """Return the error this becomes if it stays, and the seconds before the next send.

        Raises:
            DailyQuotaError, RequestTooLargeError, ModelRefusedError: sending again cannot help.
        """
        status = getattr(raised, "status_code", None)
        text = " ".join(str(raised).split())[:500]
        limit = read_limit(status, text)
        if limit is not None:
            return self._judge_limit(limit, text, raised, attempt, booked)
        if status is not None and status < 500 and status not in (408, 409, 425):
            raise ModelRefusedError(
                f"{self.name} refused the request with HTTP {status}: {text}",
                action="check the provider's key, the model's name and the base URL",
            ) from raised
        seen = f"{self.name} is not available" + (f" (HTTP {status})" if status else "") + f": {text}"
        wait = retry_after(raised, text)
        return ModelUnavailableError(seen, action="try again later"), _backoff(attempt) if wait is None else wait

    def _judge_limit(
        self, limit: Limit, text: str, raised: Exception, attempt: int, booked: int
    ) -> tuple[ModelError, float]:
        if limit.kind == "too_large":
            raise RequestTooLargeError(
                f"the request is too large for {self.name}: {text}",
                action="shorten the question, or use a model or plan with a larger limit",
            ) from raised
        if limit.kind in ("requests_per_day", "tokens_per_day", "quota"):
            raise DailyQuotaError(
                f"the quota of {self.name} is used up ({limit.kind.replace('_', ' ')}): {text}",
                action="wait until it is reset, or use another model or the strategy semantic",
            ) from raised
        if limit.size and limit.kind == "tokens_per_minute":
            self.bucket.learn_tokens(limit.size, left=booked)
        elif limit.size:
            self.bucket.learn_requests(limit.size)
        told = retry_after(raised, text)
        wait = _backoff(attempt) if told is None else told
        self.bucket.close(wait)
        return _throttled(self.name, text), wait


def _throttled(name: str, text: str) -> ModelThrottledError:
    return ModelThrottledError(f"{name} is throttling: {text}", action="try again in a minute, or ask fewer at once")


def _backoff(attempt: int) -> float:
    return float(min(0.5 * 2**attempt, 20.0) * random.uniform(0.8, 1.2))  # noqa: S311 - spreads retries, guards nothing
