"""The SODA client: sodapy with a request step that streams."""

import re
from typing import Any, NoReturn
from urllib.parse import urlsplit

import requests
from sodapy import Socrata

from include.source.errors import NotDataError, SourceBusyError, SourceDownError, SourceRejectedError
from include.source.spec import SourceSpec

_DATA_TYPES = ("application/json", "text/csv")
_EXCERPT_BYTES = 4096


class SodaClient(Socrata):  # type: ignore[misc]  # sodapy ships no types
    """sodapy's client, whose `get` and `get_metadata` return the checked, unread `requests.Response`.

    Not safe to share between threads. Each method raises:
        SourceDownError: no connection or no answer in time.
        SourceBusyError: 202, 429 or 5xx.
        SourceRejectedError: another 4xx.
        NotDataError: HTML or another content type that is no data.
    """

    def __init__(self, source: SourceSpec, *, timeout: float) -> None:
        super().__init__(
            source.domain,
            # Without a token sodapy warns through the root logger at each construction, and so installs a handler.
            source.app_token or "none",
            session_adapter={"prefix": source.prefix, "adapter": requests.adapters.HTTPAdapter()},
            timeout=timeout,
        )
        if not source.app_token:
            del self.session.headers["X-App-Token"]

    def _perform_request(self, request_type: str, resource: str, **kwargs: Any) -> requests.Response:
        uri = f"{self.uri_prefix}{self.domain}{resource}"
        try:
            response: requests.Response = self.session.request(
                request_type, uri, stream=True, timeout=self.timeout, **kwargs
            )
        except requests.Timeout as error:
            raise SourceDownError(
                f"{self.domain} did not answer within {self.timeout:g} s",
                action="try again later, or raise CRIME_SOURCE_TIMEOUT",
            ) from error
        except requests.RequestException as error:
            raise SourceDownError(
                f"{self.domain} cannot be reached: {_root_cause(error)}",
                expected="a SODA server at that address",
                action="check the source URL and the network",
            ) from error
        try:
            check_answer(response)
        except Exception:
            response.close()
            raise
        return response


def check_answer(response: requests.Response) -> None:
    """Raise as `SodaClient` says unless the answer is 200 with JSON or CSV."""
    status = response.status_code
    if status == requests.codes.ok:
        _check_type(response)
    elif status in (requests.codes.accepted, requests.codes.too_many_requests) or status >= 500:
        _raise_busy(response)
    else:
        action = {
            401: "check CRIME_APP_TOKEN",
            403: "check CRIME_APP_TOKEN: it is wrong or not allowed to read this data set",
            404: "check the source URL and CRIME_DATASET_ID",
        }.get(status, "the request or the data set changed: compare both with the source's documentation")
        raise SourceRejectedError(
            f"the source refused {_path(response)} with {status} {response.reason}: {_excerpt(response)}",
            expected="200",
            action=action,
        )


def _check_type(response: requests.Response) -> None:
    content_type = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if content_type in _DATA_TYPES:
        return
    what = "HTML" if "html" in content_type else f"content type {content_type or 'missing'}"
    raise NotDataError(
        f"source answered {what} to {_path(response)}: {_excerpt(response)}",
        expected="JSON or CSV",
        action="open the source URL in a browser: it is no SODA end point, or a proxy or login page stands before it",
    )


def _raise_busy(response: requests.Response) -> NoReturn:
    meaning = {202: "is still preparing the answer", 429: "throttles this client"}.get(
        response.status_code, "failed on its side"
    )
    error = SourceBusyError(
        f"the source {meaning} ({response.status_code} {response.reason})",
        expected="200",
        action="set CRIME_APP_TOKEN" if response.status_code == requests.codes.too_many_requests else "try again later",
    )
    error.retry_after = _seconds(response.headers.get("Retry-After"))
    raise error


def _seconds(value: str | None) -> float | None:
    # The HTTP-date form is left to the back-off: it would trust two clocks.
    return float(value) if value is not None and re.fullmatch(r"\d+(\.\d+)?", value.strip()) else None


def _path(response: requests.Response) -> str:
    return urlsplit(response.url).path


def _excerpt(response: requests.Response) -> str:
    try:
        text = next(response.iter_content(_EXCERPT_BYTES), b"").decode("utf-8", errors="replace")
    except requests.RequestException:
        return "(no text)"
    if message := re.search(r'"message"\s*:\s*"((?:[^"\\]|\\.)*)"', text):
        text = message[1]
    elif title := re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL):
        text = title[1]
    return " ".join(text.split())[:200] or "(no text)"


def _root_cause(error: BaseException) -> str:
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__ or error
    return str(error)
