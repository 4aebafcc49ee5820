import time

import pytest
from pydantic import SecretStr

from agent.llm import (
    DailyQuotaError,
    Model,
    ModelRefusedError,
    ModelThrottledError,
    ModelUnavailableError,
    RequestTooLargeError,
    default_model,
    open_model,
    parse_model,
)
from agent.llm.bucket import Bucket
from agent.llm.errors import read_limit
from include.errors import UsageError
from include.settings import Settings
from tests.support.openai_server import Said, ScriptedServer, serve_model

NO_KEYS = {"groq_api_key": None, "openai_api_key": None, "anthropic_api_key": None, "openai_model": None}
TPM = (
    "Rate limit reached for model `openai/gpt-oss-120b` in organization `org_x` service tier `on_demand` on tokens per "
    "minute (TPM): Limit 600000, Used 599000, Requested 1900. Please try again in 20ms."
)
TPD = (
    "Rate limit reached for model `openai/gpt-oss-120b` in organization `org_x` service tier `on_demand` on tokens per "
    "day (TPD): Limit 200000, Used 199800, Requested 1900. Please try again in 12m14.4s."
)
TOO_LARGE = (
    "Request too large for model `openai/gpt-oss-120b` in organization `org_x` service tier `on_demand` on tokens per "
    "minute (TPM): Limit 8000, Requested 9213, please reduce your message size and try again."
)


def settings_for(server: ScriptedServer, **more: object) -> Settings:
    return Settings.model_validate(
        {
            **NO_KEYS,
            "groq_api_key": SecretStr("test-key"),
            "groq_base_url": server.url,
            "openai_base_url": server.openai_url,
            "anthropic_api_key": SecretStr("test-key"),
            "anthropic_base_url": server.url,
            "model_timeout": 5.0,
            **more,
        }
    )


def opened(server: ScriptedServer, name: str = "openai:test-model", **more: object) -> Model:
    return open_model(name, settings=settings_for(server, **more))


def complete(model: Model, patience: float = 10.0, temperature: float = 0.0):
    return model.complete("be brief", user="hello", max_tokens=500, temperature=temperature, patience=patience)


@pytest.mark.parametrize(
    ("name", "path", "limit"),
    [
        ("groq:openai/gpt-oss-120b", "/openai/v1/chat/completions", "max_tokens"),
        ("openai:test-model", "/v1/chat/completions", "max_tokens"),
        ("anthropic:claude-test", "/v1/messages", "max_tokens"),
    ],
)
def test_request_and_reply_of_each_provider(name, path, limit):
    with serve_model([Said("<think>\nhm\n</think>\nSELECT 1", tokens_in=1000, tokens_out=40)]) as server:
        reply = complete(opened(server, name))
    (request,) = server.requests
    assert request.path == path
    assert request.body["model"] == name.partition(":")[2]
    assert request.body[limit] == 500
    assert 0 <= request.body["temperature"] <= 1e-8
    assert (request.system, request.user) == ("be brief", "hello")
    assert (reply.text, reply.finish_reason, reply.tokens_in, reply.tokens_out) == ("SELECT 1", "stop", 1000, 40)
    expected = (1000 * 0.15 + 40 * 0.60) / 1e6 if name.startswith("groq") else 0.0
    assert reply.cost == pytest.approx(expected)


def test_temperature_of_a_strategy_reaches_the_request():
    with serve_model(["a", "b"]) as server:
        for name in ("groq:m", "openai:m"):
            complete(opened(server, name), temperature=0.7)
    assert [request.body["temperature"] for request in server.requests] == [0.7, 0.7]


@pytest.mark.parametrize("name", ["groq:m", "openai:m", "anthropic:m"])
def test_a_cut_answer_says_length(name):
    with serve_model([Said("SELECT", finish_reason="length")]) as server:
        assert complete(opened(server, name)).finish_reason == "length"


@pytest.mark.parametrize("name", ["groq:throttled", "openai:throttled", "anthropic:throttled"])
def test_retry_after_is_honoured(name):
    script = [Said(status=429, error="slow down", headers={"retry-after": "0.3"}), "fine"]
    with serve_model(script) as server:
        started = time.monotonic()
        reply = complete(opened(server, name))
    assert reply.text == "fine"
    assert 0.3 <= time.monotonic() - started < 3
    assert len(server.requests) == 2


def test_retry_after_beyond_the_patience_is_not_waited_for():
    with serve_model([Said(status=429, error="slow down", headers={"retry-after": "120"})]) as server:
        started = time.monotonic()
        with pytest.raises(ModelThrottledError, match="throttling"):
            complete(opened(server, "openai:patience"), patience=5)
    assert time.monotonic() - started < 2
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", ["groq:m", "openai:m"])
@pytest.mark.parametrize(
    ("said", "error"),
    [
        (Said(status=413, error=TOO_LARGE), RequestTooLargeError),
        (Said(status=429, error=TOO_LARGE), RequestTooLargeError),
        (Said(status=400, error="This model's maximum context length is 8192 tokens"), RequestTooLargeError),
        (Said(status=429, error=TPD), DailyQuotaError),
        (Said(status=429, error="You exceeded your current quota (insufficient_quota)"), DailyQuotaError),
        (Said(status=401, error="Invalid API Key"), ModelRefusedError),
        (Said(status=404, error="The model `m` does not exist"), ModelRefusedError),
    ],
)
def test_what_is_never_sent_twice(name, said, error):
    with serve_model([said, "never asked"]) as server, pytest.raises(error) as raised:
        complete(opened(server, name))
    assert len(server.requests) == 1
    assert name in raised.value.seen
    assert raised.value.action


def test_server_errors_are_retried_then_reported():
    said = Said(status=503, error="over capacity", headers={"retry-after": "0"})
    with serve_model(lambda _: said) as server, pytest.raises(ModelUnavailableError, match="HTTP 503"):
        complete(opened(server, model_attempts=3))
    assert len(server.requests) == 3


def test_a_dead_server_is_unavailable():
    with serve_model([]) as server:
        model = opened(server, "openai:dead", model_attempts=1)
    with pytest.raises(ModelUnavailableError):
        complete(model)


@pytest.mark.parametrize("name", ["groq:m", "openai:m", "anthropic:m"])
@pytest.mark.parametrize("raw", [b"<html>hello</html>", b"{}", b'{"choices": []}'])
def test_an_answer_of_another_form_is_unavailable(name, raw):
    with serve_model([Said(raw=raw)]) as server, pytest.raises(ModelUnavailableError, match="no chat completion"):
        complete(opened(server, name))


def test_a_limit_the_provider_names_fills_the_bucket():
    with serve_model([Said(status=429, error=TPM), "fine"]) as server:
        model = opened(server, "groq:learning")
        assert complete(model).text == "fine"
    assert model.bucket.tokens_per_minute == 600_000


def test_the_five_kinds_of_limits():
    rpm = TPM.replace("tokens per minute (TPM): Limit 600000", "requests per minute (RPM): Limit 30")
    rpd = TPM.replace("tokens per minute (TPM): Limit 600000", "requests per day (RPD): Limit 1000")
    kinds = [read_limit(429, text) for text in (rpm, TPM, rpd, TPD, TOO_LARGE)]
    assert [(limit.kind, limit.size) for limit in kinds if limit] == [
        ("requests_per_minute", 30),
        ("tokens_per_minute", 600_000),
        ("requests_per_day", 1000),
        ("tokens_per_day", 200_000),
        ("too_large", 8000),
    ]
    assert read_limit(500, "boom") is None


def test_bucket_books_waits_and_gives_back():
    now = [0.0]
    bucket = Bucket(tokens_per_minute=6000, requests_per_minute=60, clock=lambda: now[0])
    assert bucket.take(6000) == 0
    assert bucket.take(1000) == pytest.approx(10.0)
    bucket.give_back(500)
    assert bucket.take(1000) == pytest.approx(5.0)
    now[0] = 5.0
    assert bucket.take(1000) == 0
    bucket.close(7.0)
    now[0] = 11.0
    assert bucket.take(1) == pytest.approx(1.0)


def test_a_request_above_the_whole_bucket_waits_for_a_full_one_only():
    now = [0.0]
    bucket = Bucket(tokens_per_minute=1000, clock=lambda: now[0])
    assert bucket.take(5000) == 0
    assert 0 < bucket.take(10) < 300


def test_default_model_is_the_first_with_a_key():
    def of(**more: object) -> str | None:
        spec = default_model(Settings.model_validate({**NO_KEYS, "openai_base_url": None, **more}))
        return spec and spec.name

    assert of() is None
    assert of(groq_api_key="") is None
    assert of(groq_api_key="k", anthropic_api_key="k") == "groq:openai/gpt-oss-120b"
    assert of(openai_base_url="http://localhost:11434/v1", openai_model="qwen") == "openai:qwen"
    assert of(anthropic_api_key="k") == "anthropic:claude-sonnet-4-5"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        (None, "GROQ_API_KEY"),
        ("groq:openai/gpt-oss-120b", "GROQ_API_KEY"),
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(name, variable):
    settings = Settings.model_validate({**NO_KEYS, "openai_base_url": None})
    with pytest.raises(UsageError, match=variable) as raised:
        open_model(name, settings=settings)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("name", ["gpt-4o", "mistral:large", "groq:", ""])
def test_an_unknown_model_is_a_usage_error(name):
    with pytest.raises(UsageError, match="unknown model"):
        parse_model(name)
