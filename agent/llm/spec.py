"""Which model: `provider:model`, with its key and address from the settings."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from pydantic import SecretStr

from agent.llm.bucket import bucket_of
from agent.llm.model import Model
from include.errors import UsageError
from include.settings import Settings

Provider = Literal["groq", "openai", "anthropic"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
_KEYS: dict[Provider, str] = {
    "groq": "GROQ_API_KEY",
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}


@dataclass(frozen=True)
class ModelSpec:
    """A provider and the provider's name of a model."""

    provider: Provider
    model: str

    @property
    def name(self) -> str:
        """The text form, `provider:model`."""
        return f"{self.provider}:{self.model}"


def open_model(name: str | None, *, settings: Settings) -> Model:
    """Return a model ready to be asked; the same one for the same name and settings.

    Args:
        name: `provider:model`; None = the first provider that is configured.
        settings: keys and base URLs.

    Raises:
        UsageError: unknown provider, or its key is missing; the message names the variable to set.
    """
    spec = default_model(settings) if name is None else parse_model(name)
    if spec is None:
        raise UsageError(
            "no language model is configured",
            expected="a provider key, for instance in the variable GROQ_API_KEY",
            action="set GROQ_API_KEY (or OPENAI_API_KEY, or CRIME_OPENAI_BASE_URL with CRIME_OPENAI_MODEL), "
            "or use the strategy semantic, which needs none",
        )
    return _open(spec, settings)


def parse_model(name: str) -> ModelSpec:
    """Read `provider:model`.

    Raises:
        UsageError: no such provider, or no model named.
    """
    provider, _, model = name.partition(":")
    for known in PROVIDERS:
        if provider == known and model:
            return ModelSpec(known, model)
    raise UsageError(
        f"unknown model {name!r}",
        expected="provider:model, the provider one of " + ", ".join(PROVIDERS),
        action="name a model like groq:openai/gpt-oss-120b",
    )


def default_model(settings: Settings) -> ModelSpec | None:
    """Return the model of the first configured provider: Groq, then OpenAI-compatible, then Anthropic."""
    if _is_set(settings.groq_api_key):
        return ModelSpec("groq", settings.groq_model)
    if settings.openai_model and (_is_set(settings.openai_api_key) or settings.openai_base_url):
        return ModelSpec("openai", settings.openai_model)
    if _is_set(settings.anthropic_api_key):
        return ModelSpec("anthropic", settings.anthropic_model)
    return None


@lru_cache(maxsize=16)
def _open(spec: ModelSpec, settings: Settings) -> Model:
    from agent.llm import providers

    key = _key(spec.provider, settings)
    opening, base_url = {
        "groq": (providers.open_groq, settings.groq_base_url),
        "openai": (providers.open_openai, settings.openai_base_url),
        "anthropic": (providers.open_anthropic, settings.anthropic_base_url),
    }[spec.provider]
    return Model(
        name=spec.name,
        chat=opening(spec.model, key=key, base_url=base_url, timeout=settings.model_timeout),
        bucket=bucket_of(
            f"{spec.name}@{base_url or ''}",
            tokens_per_minute=settings.model_tokens_per_minute,
            requests_per_minute=settings.model_requests_per_minute,
        ),
        max_attempts=settings.model_attempts,
    )


def _key(provider: Provider, settings: Settings) -> SecretStr:
    keys: dict[Provider, SecretStr | None] = {
        "groq": settings.groq_api_key,
        "openai": settings.openai_api_key,
        "anthropic": settings.anthropic_api_key,
    }
    key = keys[provider]
    if key is not None and _is_set(key):
        return key
    if provider == "openai" and settings.openai_base_url is not None:
        return SecretStr("none")
    raise UsageError(
        f"no key for the provider {provider}",
        expected=f"the variable {_KEYS[provider]}",
        action=f"set {_KEYS[provider]}, or use the strategy semantic, which needs none",
    )


def _is_set(key: SecretStr | None) -> bool:
    return key is not None and bool(key.get_secret_value())
