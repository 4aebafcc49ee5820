"""Prompt texts, one a file, and the stages made of them."""

from agent.prompts.files import load_prompt, stage_prompt

__all__ = ["load_prompt", "stage_prompt"]
