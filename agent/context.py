"""What the nodes of one question work with; the graph hands it to each of them."""

from collections.abc import Callable
from dataclasses import dataclass

from agent.guard import Caller, Guard, Limits
from agent.llm import Model, Reply
from agent.meter import Meter
from agent.semantic import Vocabulary
from include.errors import UsageError
from include.warehouse import Snapshot, Warehouse


@dataclass(frozen=True)
class Context:
    """The tools and switches of one question.

    Attributes:
        guard: the only road from SQL text to the database.
        limits: what the final query may return and cost.
        snapshot: the pinned snapshot; every query of the question runs on it.
        vocabulary: loads the stored values of the snapshot when a node first asks for them.
        model: None for strategies that use none.
    """

    question: str
    interface: str
    stage: int | str | None
    relevance_rule: str
    answers: str
    meter: Meter
    guard: Guard
    limits: Limits
    warehouse: Warehouse
    snapshot: Snapshot
    vocabulary: Callable[[], Vocabulary]
    model: Model | None = None

    def caller(self, node: str) -> Caller:
        """Return who is asking, for the query audit."""
        return Caller(interface=self.interface, node=node, question=self.question)

    def complete(self, system: str, user: str) -> Reply:
        """Ask the model once, charged to the meter, within the budget's output tokens and temperature.

        Raises:
            BudgetExceededError: the question has no model call, token, second or dollar left.
            ModelError: the provider failed; see `agent.llm`.
        """
        if self.model is None:
            raise UsageError("this strategy was started without a model", action="name a model in the arm")
        budget = self.meter.budget
        with self.meter.charge("model_calls"):
            reply = self.model.complete(
                system,
                user=user,
                max_tokens=budget.max_output_tokens,
                temperature=budget.temperature,
                patience=self.meter.seconds_left,
            )
        self.meter.record(
            tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, cost=reply.cost, seconds=reply.seconds
        )
        return reply
