import difflib
import re

import pytest

from agent.prompts import load_prompt, stage_prompt
from agent.prompts.examples import render_examples
from include.dataset import COLUMNS, LOOKUPS
from include.errors import UsageError


def test_stage_1_is_the_designs_text():
    assert stage_prompt(1) == "You are a SQL assistant. Write a SQL query for the user's question."


@pytest.mark.parametrize(("stage", "pairs"), [(3, 1), (4, 4)])
def test_stages_3_and_4_are_stage_2_and_their_examples_byte_for_byte(stage, pairs):
    text, base = stage_prompt(stage), stage_prompt(2)
    assert text.startswith(base)
    examples = text[len(base) :]
    assert examples == load_prompt(f"stage{stage}_examples.md")
    assert examples.count("\nQuestion: ") == examples.count("```sql\n") == pairs


def test_the_examples_are_the_reserved_questions_of_the_benchmark():
    for name, text in render_examples().items():
        assert load_prompt(name) == text
    four = load_prompt("stage4_examples.md")
    marks = [four.index(mark) for mark in ("COUNT(*)", "LIMIT", "= TRUE", "HAVING")]
    assert marks == sorted(marks)
    assert load_prompt("stage3_examples.md").partition("\nQuestion: ")[2] in four


def test_stage_2_has_ten_numbered_rules_and_the_three_foreign_keys():
    text = stage_prompt(2)
    assert re.findall(r"(?m)^(\d+)\. ", text) == [str(number) for number in range(1, 11)]
    for key, table in (("DISTRICT", "district"), ("COMMUNITY_AREA", "community_area"), ("WARD", "ward")):
        assert f'crime_incidents."{key}" = {table}_names.{table}_id' in text


def test_every_identifier_of_stage_2_exists():
    known = {column.name for column in COLUMNS}
    assert set(re.findall(r'"([A-Z][A-Z_]+)"', stage_prompt(4))) <= known
    lookups = {f"{name}" for table in LOOKUPS for name in re.findall(r"\w+", str(table))}
    for table, column in re.findall(r"\b(\w+_names)\.(\w+)", stage_prompt(2)):
        assert {table, column} <= lookups


def test_limit10_differs_from_stage_2_in_the_limit_rule_only():
    lines = difflib.ndiff(stage_prompt(2).splitlines(), stage_prompt("limit10").splitlines())
    changed = [line for line in lines if line[0] in "+-"]
    assert [line[:5] for line in changed] == ["- 8. ", "+ 8. "]
    assert "LIMIT 10" in changed[1]
    assert "LIMIT 10" not in changed[0]


def test_an_unknown_stage_is_a_usage_error():
    with pytest.raises(UsageError, match="unknown prompt stage '5'"):
        stage_prompt("5")
