import pytest

from agent.arms import Arm, choose_arm, default_arm, resolve_arm
from agent.strategies import STRATEGIES
from include.errors import UsageError
from include.settings import Settings

NO_KEYS = {"groq_api_key": None, "openai_api_key": None, "anthropic_api_key": None, "openai_model": None}


def settings(**more: object) -> Settings:
    return Settings.model_validate({**NO_KEYS, **more})


def test_the_default_is_semantic_without_a_key_and_agent_2_with_one():
    assert default_arm(settings()) == Arm(strategy="semantic")
    assert default_arm(settings(groq_api_key="k")) == Arm(strategy="agent_2", stage=2)


@pytest.mark.parametrize(
    ("strategy", "stage", "resolved"),
    [
        ("agent_1", None, 2),
        ("agent_1", 3, 3),
        ("agent_2", "4", 4),
        ("agent_2", "limit10", "limit10"),
        ("semantic", None, None),
        ("semantic", 2, None),
    ],
)
def test_the_stage_is_resolved(strategy, stage, resolved):
    assert resolve_arm(Arm(strategy=strategy, stage=stage))[0].stage == resolved


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"strategy": "agent_9"}, "unknown strategy 'agent_9'"),
        ({"strategy": "agent_1", "stage": 5}, "unknown prompt stage '5'"),
        ({"strategy": "agent_1", "stage": "x"}, "unknown prompt stage 'x'"),
        ({"strategy": "agent_1", "relevance": "x"}, "unknown relevance rule 'x'"),
        ({"strategy": "agent_1", "answers": "x"}, "unknown answer mode 'x'"),
    ],
)
def test_what_does_not_exist_is_a_usage_error_that_lists_what_does(fields, text):
    with pytest.raises(UsageError, match=text) as raised:
        resolve_arm(Arm(**fields))
    assert raised.value.exit_code == 2
    assert "one of" in raised.value.expected


def test_choices_replace_fields_of_the_default():
    chosen = choose_arm(settings(groq_api_key="k"), stage="3", relevance="paper", answers="paper")
    assert chosen == Arm(strategy="agent_2", stage=3, relevance="paper", answers="paper")
    assert choose_arm(settings(groq_api_key="k"), strategy="semantic").stage is None
    with pytest.raises(UsageError, match="unknown relevance rule"):
        choose_arm(settings(), relevance="none")


def test_the_label_says_what_is_varied():
    assert Arm(strategy="semantic").label == "semantic"
    assert Arm(strategy="agent_2", stage=2, relevance="paper").label == "agent_2/2/relevance-paper"
    assert Arm(strategy="agent_1", stage=1, answers="paper").label == "agent_1/1/answers-paper"
    assert Arm(strategy="agent_1", stage=1, model="openai:a").label != Arm("agent_1", 1, model="openai:b").label
    assert Arm(strategy="semantic", name="x").label == "x"


def test_a_stage_that_does_not_exist_is_refused_by_every_strategy():
    for strategy in STRATEGIES:
        with pytest.raises(UsageError, match="unknown prompt stage '9'"):
            resolve_arm(Arm(strategy=strategy, stage="9"))
