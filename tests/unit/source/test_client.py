import socket

import pytest

from include.errors import TerminalError, TransientError
from include.source import NotDataError, SourceBusyError, SourceDownError, SourceRejectedError, SourceSpec
from include.source.client import SodaClient, check_answer
from include.source.simulator import generate_store, serve
from tests.support.incidents import answer

ANSWERS = {
    "202": (answer("{}", status=202), SourceBusyError, "still preparing"),
    "429": (answer("{}", status=429), SourceBusyError, "throttles"),
    "500": (answer("{}", status=500), SourceBusyError, "500"),
    "503": (answer("<html></html>", status=503, content_type="text/html"), SourceBusyError, "503"),
    "400": (answer('{"message": "No such column: fbi"}', status=400), SourceRejectedError, "No such column: fbi"),
    "403": (answer("{}", status=403), SourceRejectedError, "CRIME_APP_TOKEN"),
    "404": (answer("{}", status=404), SourceRejectedError, "CRIME_DATASET_ID"),
    "HTML": (
        answer("<html><title>Log in, please</title></html>", content_type="text/html; charset=utf-8"),
        NotDataError,
        "source answered HTML to /resource/ijzp-q8t2.csv: Log in, please",
    ),
    "XML": (answer("<x/>", content_type="application/rdf+xml"), NotDataError, "application/rdf+xml"),
    "no type": (answer("", content_type=""), NotDataError, "missing"),
}


@pytest.mark.parametrize(("response", "kind", "said"), ANSWERS.values(), ids=ANSWERS)
def test_answers_that_are_no_data_say_what_they_are(response, kind, said):
    with pytest.raises(kind) as caught:
        check_answer(response)
    assert said in str(caught.value)
    assert isinstance(caught.value, TransientError if kind is SourceBusyError else TerminalError)


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7.0), ("0.5", 0.5), ("Wed, 21 Oct 2026 07:28:00 GMT", None), (None, None)]
)
def test_retry_after_is_kept(header, seconds):
    response = answer("{}", status=429, **({"Retry_After": header} if header else {}))
    with pytest.raises(SourceBusyError) as caught:
        check_answer(response)
    assert caught.value.retry_after == seconds


def test_data_pass():
    check_answer(answer("[]", content_type="application/json;charset=utf-8"))
    check_answer(answer("id\n"))


def spec(url: str, token: str | None = None) -> SourceSpec:
    return SourceSpec("socrata", url, "ijzp-q8t2", identity="x", app_token=token)


def test_get_returns_the_unread_answer_over_plain_http():
    with serve(generate_store(rows=1_000)) as source, SodaClient(spec(source.url), timeout=5) as client:
        with client.get("ijzp-q8t2", content_type="csv", select="id", limit=3) as response:
            assert not response._content_consumed
            assert response.text.count("\n") == 4
        with client.get_metadata("ijzp-q8t2") as response:
            assert response.json()["id"] == "ijzp-q8t2"


def test_the_token_goes_in_its_header_only_when_there_is_one():
    assert SodaClient(spec("http://a"), timeout=1).session.headers.get("X-App-Token") is None
    assert SodaClient(spec("http://a", "secret"), timeout=1).session.headers["X-App-Token"] == "secret"


def test_the_source_of_a_dead_port_is_down():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with (
            SodaClient(spec(f"http://127.0.0.1:{port}"), timeout=1) as client,
            pytest.raises(SourceDownError, match="cannot be reached"),
        ):
            client.get("ijzp-q8t2")


def test_a_source_that_does_not_answer_in_time_is_down():
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        SodaClient(spec(f"http://127.0.0.1:{silent.getsockname()[1]}"), timeout=0.2) as client,
        pytest.raises(SourceDownError, match=r"within 0\.2 s"),
    ):
        client.get("ijzp-q8t2")
