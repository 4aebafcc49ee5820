"""Chat models of the providers, as LangChain classes; each is imported when it is opened.

LangChain's own retries are off: they repeat what the daily quota has stopped and know no budget of seconds.
`agent.llm.model` retries instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

GROQ_COLDEST = 1e-8


@dataclass(frozen=True)
class Chat:
    """A provider's chat model, how it wants a request's limits said, and the root of its exceptions."""

    model: "BaseChatModel"
    options: Callable[[int, float], dict[str, Any]]
    error: type[Exception]


def open_groq(model: str, *, key: SecretStr, base_url: str | None, timeout: float) -> Chat:
    """Return Groq's chat model. Temperature 0 is sent as 1e-8, as Groq's own client does."""
    from groq import GroqError
    from langchain_groq import ChatGroq

    chat = ChatGroq(model=model, api_key=key, base_url=base_url, max_retries=0, timeout=timeout)
    return Chat(chat, lambda limit, heat: {"max_tokens": limit, "temperature": max(heat, GROQ_COLDEST)}, GroqError)


def open_openai(model: str, *, key: SecretStr, base_url: str | None, timeout: float) -> Chat:
    """Return the chat model of OpenAI or of any server that speaks its chat completions.

    OpenAI itself takes `max_completion_tokens`; other servers know the older `max_tokens` more widely.
    """
    from langchain_openai import ChatOpenAI
    from openai import OpenAIError

    chat = ChatOpenAI(
        model=model, api_key=key, base_url=base_url, max_retries=0, timeout=timeout, use_responses_api=False
    )
    if base_url is None:
        return Chat(chat, lambda limit, heat: {"max_tokens": limit, "temperature": heat}, OpenAIError)
    return Chat(chat, lambda limit, heat: {"extra_body": {"max_tokens": limit}, "temperature": heat}, OpenAIError)


def open_anthropic(model: str, *, key: SecretStr, base_url: str | None, timeout: float) -> Chat:
    """Return Anthropic's chat model."""
    from anthropic import AnthropicError
    from langchain_anthropic import ChatAnthropic

    chat = ChatAnthropic(model_name=model, api_key=key, base_url=base_url, max_retries=0, timeout=timeout, stop=None)
    return Chat(chat, lambda limit, heat: {"max_tokens": limit, "temperature": heat}, AnthropicError)
