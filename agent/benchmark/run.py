"""A run: one arm and repeat on one snapshot, as it travels to a worker and back."""

from dataclasses import asdict, dataclass
from typing import Any

from agent.arms import Arm


@dataclass(frozen=True)
class Run:
    """What every score of the run is keyed by.

    Attributes:
        bench_id: id of the run; batch, arm and repeat in one.
        batch_id: the runs planned together.
        fingerprint: of the snapshot's contents; gold results of another one are refused.
        question_set: digest of the question file.
        arm: label of the arm.
    """

    bench_id: str
    batch_id: str
    snapshot_id: str
    fingerprint: str
    question_set: str
    questions_path: str
    arm: str
    strategy: str
    stage: str | None
    relevance: str
    answers: str
    model: str | None
    judge: str | None
    repeat_no: int
    git_sha: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the run as JSON values."""
        return asdict(self)

    def to_arm(self) -> Arm:
        """Return the arm that runs."""
        return Arm(
            strategy=self.strategy,
            stage=self.stage,
            relevance=self.relevance,  # type: ignore[arg-type]  # checked by resolve_arm when it is used
            answers=self.answers,  # type: ignore[arg-type]  # as above
            model=self.model,
            name=self.arm,
        )
