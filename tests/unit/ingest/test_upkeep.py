import pytest

from include.ingest.upkeep import plan_landing_retention

MODES = {"run_1": "full", "run_2": "incremental", "run_3": "full", "run_4": "incremental", "run_6": "from_landing"}
RUNS = ["run_0", "run_1", "run_2", "run_3", "run_4", "run_5"]


@pytest.mark.parametrize(
    ("used", "running", "due"),
    [
        (["run_4"], set(), ["run_0", "run_1", "run_2", "run_5"]),
        (["run_2", "run_4"], set(), ["run_0", "run_5"]),
        (["run_4"], {"run_5"}, ["run_0", "run_1", "run_2"]),
        ([], set(), ["run_0", "run_1", "run_2", "run_5"]),
    ],
)
def test_whole_chains_go_and_what_kept_snapshots_need_stays(used, running, due):
    assert plan_landing_retention(RUNS, modes=MODES, used=used, running=running) == due


def test_without_a_full_load_only_what_nobody_can_resume_goes():
    assert plan_landing_retention(["run_5"], modes={}, used=[], running=set()) == ["run_5"]
