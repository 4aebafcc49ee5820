"""An arm: what is varied when the agent is compared with itself."""

from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from agent.llm import default_model
from agent.strategies import STRATEGIES, Strategy
from include.errors import UsageError
from include.settings import Settings

Stage = Literal[1, 2, 3, 4, "limit10"]
RelevanceRule = Literal["paper", "vocabulary"]
AnswerMode = Literal["paper", "verified"]
STAGES: tuple[Stage, ...] = get_args(Stage)
RELEVANCE_RULES: tuple[RelevanceRule, ...] = get_args(RelevanceRule)
Name = TypeVar("Name", bound=str)
ANSWER_MODES: tuple[AnswerMode, ...] = get_args(AnswerMode)


@dataclass(frozen=True)
class Arm:
    """Strategy, prompt stage, relevance rule, answer mode and model.

    Attributes:
        strategy: a name of `agent.strategies.STRATEGIES`.
        stage: the prompt stage; None = the strategy's own (2 with a model, none without).
        relevance: the relevance rule, for strategies that have that node.
        answers: `paper` keeps the model's narration untouched, `verified` replaces one with an unsupported number.
        model: `provider:model`; None = the first provider with a key. Ignored by strategies without a model.
        name: label in reports; empty = made from the other fields.
    """

    strategy: str
    stage: int | str | None = None
    relevance: RelevanceRule = "vocabulary"
    answers: AnswerMode = "verified"
    model: str | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """The name, or strategy and stage with what differs from the defaults: `agent_2/2/relevance-paper`."""
        if self.name:
            return self.name
        parts = [
            self.strategy,
            "" if self.stage is None else str(self.stage),
            "" if self.relevance == "vocabulary" else f"relevance-{self.relevance}",
            "" if self.answers == "verified" else f"answers-{self.answers}",
            self.model or "",
        ]
        return "/".join(part for part in parts if part)


def resolve_arm(arm: Arm) -> tuple[Arm, Strategy]:
    """Check every field of an arm and fill in the stage.

    Raises:
        UsageError: a field names something that does not exist; the message lists what does.
    """
    strategy = STRATEGIES.get(arm.strategy)
    if strategy is None:
        raise _unknown("strategy", arm.strategy, tuple(STRATEGIES))
    _known("relevance rule", arm.relevance, RELEVANCE_RULES)
    _known("answer mode", arm.answers, ANSWER_MODES)
    return replace(arm, stage=_resolve_stage(arm.stage, strategy)), strategy


def default_arm(settings: Settings) -> Arm:
    """Return `agent_2` at stage 2 when a provider is configured, else the key-less `semantic`."""
    if default_model(settings) is None:
        return Arm(strategy="semantic")
    return Arm(strategy="agent_2", stage=2)


def choose_arm(
    settings: Settings,
    *,
    strategy: str | None = None,
    stage: int | str | None = None,
    relevance: str | None = None,
    answers: str | None = None,
    model: str | None = None,
) -> Arm:
    """Return the default arm with the given choices in place; the stage stays only where the strategy does.

    Raises:
        UsageError: a choice names something that does not exist.
    """
    chosen = default_arm(settings)
    if strategy is not None:
        chosen = Arm(strategy=strategy)
    if stage is not None:
        chosen = replace(chosen, stage=stage)
    if model is not None:
        chosen = replace(chosen, model=model)
    if relevance is not None:
        chosen = replace(chosen, relevance=_known("relevance rule", relevance, RELEVANCE_RULES))
    if answers is not None:
        chosen = replace(chosen, answers=_known("answer mode", answers, ANSWER_MODES))
    return resolve_arm(chosen)[0]


def _known(what: str, seen: str, known: tuple[Name, ...]) -> Name:
    for name in known:
        if name == seen:
            return name
    raise _unknown(what, seen, known)


def _resolve_stage(stage: int | str | None, strategy: Strategy) -> Stage | None:
    if stage is None:
        return 2 if strategy.uses_stage else None
    for known in STAGES:
        if str(known) == str(stage):
            return known if strategy.uses_stage else None
    raise _unknown("prompt stage", stage, STAGES)


def _unknown(what: str, seen: object, known: tuple[object, ...]) -> UsageError:
    return UsageError(
        f"unknown {what} {str(seen)!r}",
        expected="one of " + ", ".join(str(item) for item in known),
        action="choose one",
    )
