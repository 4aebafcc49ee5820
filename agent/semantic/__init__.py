"""The semantic model: stored values found, questions read without a model, relevance judged."""

from agent.semantic.algebra import Interpretation
from agent.semantic.interpret import interpret
from agent.semantic.load import load_vocabulary, read_vocabulary
from agent.semantic.relevance import RelevanceVerdict, vocabulary_relevance
from agent.semantic.vocabulary import Link, Vocabulary

__all__ = [
    "Interpretation",
    "Link",
    "RelevanceVerdict",
    "Vocabulary",
    "interpret",
    "load_vocabulary",
    "read_vocabulary",
    "vocabulary_relevance",
]
