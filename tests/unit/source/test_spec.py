import json

import pytest

from include.errors import UsageError
from include.source import SourceSpec, check_url

SPEC = SourceSpec("socrata", "http://127.0.0.1:8080", "ijzp-q8t2", identity="x", app_token="secret")


def test_the_token_stays_out_of_every_text_form():
    assert "secret" not in repr(SPEC)
    assert "secret" not in json.dumps(SPEC.to_dict())
    assert SourceSpec.from_dict(SPEC.to_dict(), app_token="secret") == SPEC


def test_the_parts_that_sodapy_wants():
    assert (SPEC.prefix, SPEC.domain) == ("http://", "127.0.0.1:8080")


@pytest.mark.parametrize(
    "url", ["data.cityofchicago.org", "ftp://a", "https://", "https://a/resource/x", "https://a?b=c"]
)
def test_what_is_no_url_of_a_host_is_refused(url):
    with pytest.raises(UsageError):
        check_url(url)


def test_a_trailing_slash_is_dropped():
    assert check_url("https://data.cityofchicago.org/") == "https://data.cityofchicago.org"


def test_a_url_with_credentials_is_refused_without_showing_them():
    with pytest.raises(UsageError, match="carries a user or password") as caught:
        check_url("https://user:hush@data.cityofchicago.org")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://[::1", "http://127.0.0.1:99999"])
def test_a_url_that_cannot_be_read_is_named(url):
    with pytest.raises(UsageError) as caught:
        check_url(url)
    assert url in caught.value.seen
