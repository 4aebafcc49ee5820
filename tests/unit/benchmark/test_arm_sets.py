from pathlib import Path

import pytest
import yaml

from agent.arms import Arm
from agent.benchmark.arm_sets import arm_set_names, load_arms
from include.errors import UsageError

SEMANTIC = {"strategy": "semantic"}


def write(path: Path, *arms: object, **fields: object) -> Path:
    document = {"small": {"description": "d", "repeats": 1, "arms": list(arms)} | fields}
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def test_every_set_of_the_design_is_there_and_every_arm_exists() -> None:
    assert set(arm_set_names()) == {"keyless", "nightly", "paper", "strategies", "ablation"}
    assert all(load_arms(name).arms for name in arm_set_names())


def test_paper_is_both_agents_at_four_stages_five_times() -> None:
    paper = load_arms("paper")
    assert paper.repeats == 5
    assert {(arm.strategy, arm.stage) for arm in paper.arms} == {
        (a, n) for a in ("agent_1", "agent_2") for n in range(1, 5)
    }
    assert {(arm.relevance, arm.answers) for arm in paper.arms} == {("paper", "paper")}


def test_nightly_has_agent_2_under_both_relevance_rules() -> None:
    arms = load_arms("nightly").arms
    assert [arm.stage for arm in arms if arm.strategy == "agent_1"] == [2, 3, 4]
    assert [(arm.stage, arm.relevance) for arm in arms if arm.strategy == "agent_2"] == [
        (2, "paper"),
        (2, "vocabulary"),
    ]
    assert [arm.stage for arm in arms if arm.strategy == "semantic"] == [None]


def test_stages_are_filled_in(tmp_path: Path) -> None:
    path = write(tmp_path / "a.yaml", {"strategy": "agent_1"}, {"strategy": "agent_1", "stage": "limit10"})
    assert load_arms("small", path=path).arms == (Arm("agent_1", stage=2), Arm("agent_1", stage="limit10"))


@pytest.mark.parametrize(
    ("arms", "fields", "expected"),
    [
        ([{"strategy": "agent_9"}], {}, r"small: unknown strategy 'agent_9'; expected: one of .*agent_1"),
        ([{"strategy": "agent_1", "stage": 7}], {}, "small: unknown prompt stage '7'"),
        ([{"strategy": "agent_2", "relevance": "none"}], {}, "broken"),
        ([{"strategy": "agent_1", "stag": 2}], {}, "broken.*\n?.*stag"),
        ([], {}, "no arm or no repeat"),
        ([SEMANTIC], {"repeats": 0}, "no arm or no repeat"),
        ([SEMANTIC, SEMANTIC], {}, "names an arm twice"),
        ([SEMANTIC], {"order": "random"}, "broken"),
    ],
)
def test_a_broken_set_is_refused(tmp_path: Path, arms: list[object], fields: dict[str, object], expected: str) -> None:
    with pytest.raises(UsageError, match=f"(?s){expected}"):
        load_arms("small", path=write(tmp_path / "a.yaml", *arms, **fields))


def test_an_unknown_set_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"unknown arm set 'nightli'; expected: one of keyless, nightly"):
        load_arms("nightli")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load_arms("small", path=tmp_path / "none.yaml")
