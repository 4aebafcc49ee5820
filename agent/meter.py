"""Budgets of a strategy and the meter that every node charges."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from include.errors import TerminalError

Kind = Literal["model_calls", "probes", "repairs", "candidates", "seconds", "tokens", "cost"]
Counted = Literal["model_calls", "probes", "repairs", "candidates"]


@dataclass(frozen=True)
class Budget:
    """The most one question may use. Counts are per question; None = no limit.

    Attributes:
        model_calls: requests to the model, the answer's included; retries of a throttled request are not counted.
        attempts: SQL texts that may be tried before the question is given up.
        seconds: wall clock, waiting for a provider's rate limit included.
        tokens: input plus output.
        cost: US dollars.
        max_output_tokens: output limit of each request.
        temperature: sampling temperature of each request.
    """

    model_calls: int = 0
    attempts: int = 1
    probes: int = 0
    repairs: int = 0
    candidates: int = 0
    seconds: float = 120.0
    tokens: int | None = None
    cost: float | None = None
    max_output_tokens: int = 500
    temperature: float = 0.0


class BudgetExceededError(TerminalError):
    """A question has used up its budget of one kind."""

    def __init__(self, kind: Kind, limit: float) -> None:
        self.kind = kind
        self.limit = limit
        super().__init__(
            f"the budget of {limit:g} {kind.replace('_', ' ')} for one question is used up",
            action="ask a simpler question or choose a strategy with a larger budget",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.kind, self.limit)


class Meter:
    """Counts what one question uses and stops it at its budget.

    Use as a context manager: the clock runs inside. `charge` is one too: it checks the budget before the work inside
    begins, so that finished work is never thrown away. Safe to share between threads.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost = 0.0
        self.model_seconds = 0.0
        self._counts: dict[Counted, int] = dict.fromkeys(("model_calls", "probes", "repairs", "candidates"), 0)
        self._started = time.monotonic()
        self._stopped: float | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        self._stopped = None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stopped = time.monotonic()

    @contextmanager
    def charge(self, kind: Counted) -> Iterator[None]:
        """Count one use of a kind, for the work inside.

        Raises:
            BudgetExceededError: one more is over the budget, or time, tokens or cost are used up already.
        """
        with self._lock:
            self._check_running()
            limit = getattr(self.budget, kind)
            if limit is not None and self._counts[kind] + 1 > limit:
                raise BudgetExceededError(kind, limit)
            self._counts[kind] += 1
        yield

    def record(self, *, tokens_in: int, tokens_out: int, cost: float, seconds: float) -> None:
        """Add what one finished model call used."""
        with self._lock:
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out
            self.cost += cost
            self.model_seconds += seconds

    def count(self, kind: Counted) -> int:
        """Return how often a kind was charged."""
        return self._counts[kind]

    @property
    def seconds(self) -> float:
        """Wall clock since the question began."""
        return (self._stopped or time.monotonic()) - self._started

    @property
    def seconds_left(self) -> float:
        """Wall clock until the budget of seconds is used up; never negative."""
        return max(0.0, self.budget.seconds - self.seconds)

    def _check_running(self) -> None:
        if self.seconds_left <= 0:
            raise BudgetExceededError("seconds", self.budget.seconds)
        if self.budget.tokens is not None and self.tokens_in + self.tokens_out >= self.budget.tokens:
            raise BudgetExceededError("tokens", self.budget.tokens)
        if self.budget.cost is not None and self.cost >= self.budget.cost:
            raise BudgetExceededError("cost", self.budget.cost)
