"""Reading prompt texts from the files of this folder."""

from functools import lru_cache
from pathlib import Path

from include.errors import UsageError

PROMPT_DIR = Path(__file__).parent
_STAGES = {
    "1": ("stage1.md",),
    "2": ("stage2.md",),
    "3": ("stage2.md", "stage3_examples.md"),
    "4": ("stage2.md", "stage4_examples.md"),
    "limit10": ("limit10.md",),
}


def stage_prompt(stage: int | str | None) -> str:
    """Return the system prompt of a stage; stages 3 and 4 are stage 2 with their examples appended, unchanged.

    Raises:
        UsageError: there is no such stage.
    """
    files = _STAGES.get(str(stage))
    if files is None:
        raise UsageError(
            f"unknown prompt stage {stage!r}", expected="one of " + ", ".join(_STAGES), action="choose one"
        )
    return "".join(load_prompt(name) for name in files)


@lru_cache(maxsize=64)
def load_prompt(name: str) -> str:
    """Return the text of a prompt file, byte for byte."""
    return (PROMPT_DIR / name).read_bytes().decode("utf-8")
