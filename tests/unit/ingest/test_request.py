import json
from datetime import UTC, datetime

import pytest

from include.errors import UsageError
from include.ingest import IngestRequest
from include.source import SourceSpec

SPEC = SourceSpec("socrata", "http://a", "ijzp-q8t2", identity="i", app_token="secret")
REQUEST = IngestRequest(SPEC, mode="full", since=datetime(2024, 1, 1, tzinfo=UTC), force=True)


def test_a_request_survives_json_without_its_token():
    text = json.dumps(REQUEST.to_dict())
    assert "secret" not in text
    found = IngestRequest.from_dict(json.loads(text))
    assert (found.mode, found.since, found.force, found.source.identity) == ("full", REQUEST.since, True, "i")


@pytest.mark.parametrize(
    "change", [{"mode": "weekly"}, {"since": "yesterday"}, {"mode": "from_landing"}, {"unknown": 1}]
)
def test_what_makes_no_sense_is_refused(change):
    with pytest.raises(UsageError):
        IngestRequest.from_dict(REQUEST.to_dict() | change)


@pytest.mark.parametrize(
    "change",
    [
        {"year": 2019, "since": "2024-01-01"},
        {"year": 2019, "mode": "full"},
        {"until": "2024-01-01"},
        {"since": "2024-02-01", "until": "2024-01-01"},
        {"since": "2024-01-01", "until": "2024-02-01", "mode": "from_landing", "landing_run": "run_1"},
    ],
)
def test_a_window_whose_parts_do_not_fit_is_refused(change):
    with pytest.raises(UsageError):
        IngestRequest.from_dict(IngestRequest(SPEC).to_dict() | change)


def test_a_moment_without_a_zone_is_utc():
    found = IngestRequest.from_dict(REQUEST.to_dict() | {"since": "2024-01-01T06:00:00"})
    assert found.since == datetime(2024, 1, 1, 6, tzinfo=UTC)
