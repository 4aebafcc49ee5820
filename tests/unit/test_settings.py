"""Settings from the environment: what is wrong is named, with the variable."""

import pytest

from include.errors import UsageError
from include.settings import get_settings

WRONG = [
    ("CRIME_PAGE_ROWS", "abc"),
    ("CRIME_SHRINK_LIMIT", "7"),
    ("CRIME_PAGE_FORMAT", "xml"),
    ("CRIME_SNAPSHOT_KEEP", "0"),
]


@pytest.fixture(autouse=True)
def fresh():
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as caught:
        get_settings()
    assert name in caught.value.seen
    assert value in caught.value.seen


def test_empty_variables_count_as_unset(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "")
    monkeypatch.setenv("CRIME_SMTP_URL", "")
    assert (get_settings().groq_api_key, get_settings().smtp_url) == (None, None)


def test_provider_keys_answer_to_their_usual_names(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "hush")
    assert get_settings().groq_api_key.get_secret_value() == "hush"


def test_secrets_are_not_shown(monkeypatch):
    for name in ("GROQ_API_KEY", "CRIME_OWNER_URL", "CRIME_READER_URL", "CRIME_SMTP_URL", "CRIME_WEBHOOK_URL"):
        monkeypatch.setenv(name, "postgresql://user:hush@host/db")
    assert "hush" not in repr(get_settings())


@pytest.mark.parametrize("name", ["CRIME_STATEMENT_TIMEOUT", "CRIME_SOURCE_TIMEOUT", "CRIME_MODEL_TIMEOUT"])
@pytest.mark.parametrize("value", ["inf", "nan", "1e300", "0", "-3"])
def test_a_time_that_no_clock_can_count_is_refused(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name):
        get_settings()
