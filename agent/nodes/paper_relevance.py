"""The source paper's relevance rule: one action phrase and one data word, whole words of two lists."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from agent.state import RelevanceVerdict

_FILE = Path(__file__).with_name("paper_relevance.yaml")


@dataclass(frozen=True)
class WordLists:
    """The two lists; data words match their plural and other endings the file names, too."""

    action_phrases: tuple[str, ...]
    data_words: tuple[str, ...]


def paper_relevance(question: str) -> RelevanceVerdict:
    """Judge a question; the verdict carries the words of each list that occur in it, in alphabetical order."""
    lists = _word_lists()
    actions = tuple(phrase for phrase in lists.action_phrases if _occurs(phrase, question))
    words = tuple(word for word in lists.data_words if _occurs(word, question, endings="(?:s|es)?"))
    missing = [name for name, found in (("action phrase", actions), ("data word", words)) if not found]
    if missing:
        reason = f"the question has no {' and no '.join(missing)} of the rule's lists"
    else:
        reason = f"action phrase {actions[0]!r}, data word {words[0]!r}"
    return RelevanceVerdict(
        rule="paper",
        verdict="out_of_scope" if missing else "in_scope",
        reason=reason,
        action_phrases=actions,
        data_words=words,
    )


def _occurs(phrase: str, question: str, *, endings: str = "") -> bool:
    pattern = r"\s+".join(re.escape(word) for word in phrase.split()) + endings
    return re.search(rf"\b{pattern}\b", question, re.IGNORECASE) is not None


@lru_cache(maxsize=1)
def _word_lists() -> WordLists:
    listed = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return WordLists(
        action_phrases=tuple(sorted(listed["action_phrases"])), data_words=tuple(sorted(listed["data_words"]))
    )
