"""Writes the worked pairs of stages 3 and 4 from the benchmark's reserved questions.

Run `python -m agent.prompts.examples` after one of those questions has changed; a test compares.
"""

from agent.benchmark import Question, load_questions
from agent.prompts.files import PROMPT_DIR

# The kinds of the four pairs, in the order of the prompt, by the tag that tells them apart.
_KINDS = ("boolean", "top_n", "having")
_ONE = "stage3_examples.md"
_FOUR = "stage4_examples.md"


def render_examples() -> dict[str, str]:
    """Return the text of both example files."""
    questions = _reserved()
    return {_ONE: _render(questions[:1]), _FOUR: _render(questions)}


def write_examples() -> None:
    """Write both example files."""
    for name, text in render_examples().items():
        (PROMPT_DIR / name).write_text(text, encoding="utf-8", newline="\n")


def _reserved() -> list[Question]:
    """The reserved questions: counting, top-N ranking, boolean filter, grouped aggregate with HAVING."""
    reserved = load_questions().reserved
    by_kind = {next((kind for kind in _KINDS if kind in question.tags), "count"): question for question in reserved}
    return [by_kind[kind] for kind in ("count", "top_n", "boolean", "having")]


def _render(questions: list[Question]) -> str:
    head = "\nExample:\n" if len(questions) == 1 else "\nExamples:\n"
    return head + "".join(f"\nQuestion: {item.question}\n```sql\n{item.gold[0].strip()}\n```\n" for item in questions)


if __name__ == "__main__":
    write_examples()
