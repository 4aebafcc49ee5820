"""Language models: providers, rate limits, cost. Nothing here imports LangChain before a model is opened."""

from agent.llm.errors import (
    DailyQuotaError,
    ModelError,
    ModelRefusedError,
    ModelThrottledError,
    ModelUnavailableError,
    RequestTooLargeError,
)
from agent.llm.model import Model, Reply
from agent.llm.spec import ModelSpec, default_model, open_model, parse_model

__all__ = [
    "DailyQuotaError",
    "Model",
    "ModelError",
    "ModelRefusedError",
    "ModelSpec",
    "ModelThrottledError",
    "ModelUnavailableError",
    "Reply",
    "RequestTooLargeError",
    "default_model",
    "open_model",
    "parse_model",
]
