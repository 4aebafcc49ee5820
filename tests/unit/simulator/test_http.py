import json
import socket
import time

import pytest
import requests
from requests.adapters import HTTPAdapter
from requests.exceptions import ChunkedEncodingError, HTTPError, JSONDecodeError, ReadTimeout
from requests.exceptions import ConnectionError as GoneError
from sodapy import Socrata
from urllib3.util import Retry

from include.errors import UsageError
from include.source.simulator import FAULTS, serve
from tests.unit.simulator.conftest import DATASET, client_of

EXPECTED_TYPES = {
    "id": "number",
    "case_number": "text",
    "date": "floating_timestamp",
    "arrest": "boolean",
    "beat": "text",
    "district": "text",
    "ward": "number",
    "community_area": "text",
    "year": "number",
    "latitude": "number",
    "location": "location",
}


def test_csv_quotes_everything_but_nulls(small_store):
    with serve(small_store) as handle, client_of(handle) as client:
        text = requests.get(
            f"{handle.url}/resource/{DATASET}.csv",
            params={"$select": "id,block,ward,arrest,location", "$where": "id in (9, 1001)"},
            timeout=5,
        ).text
        rows = client.get(DATASET, content_type="csv", select="id, block", where="id = 1001")
    assert text == (
        '"id","block","ward","arrest","location"\n'
        '"9","035XX W 12 PL",,"true","(41.865156224, -87.71373199)"\n'
        '"1001","064XX S ""KING"" DR","20","false","(36.619446395, -91.686565684)"\n'
    )
    assert rows == [["id", "block"], ["1001", '064XX S "KING" DR']]


def test_headers_tell_fields_types_and_the_last_change(small_store):
    with serve(small_store) as handle:
        answer = requests.get(f"{handle.url}/resource/{DATASET}.json", params={"$limit": 1}, timeout=5)
        again = requests.get(f"{handle.url}/resource/{DATASET}.json", params={"$limit": 1}, timeout=5)
        other = requests.get(f"{handle.url}/resource/{DATASET}.json", params={"$limit": 2}, timeout=5)
    types = dict(
        zip(json.loads(answer.headers["X-SODA2-Fields"]), json.loads(answer.headers["X-SODA2-Types"]), strict=True)
    )
    assert {name: types[name] for name in EXPECTED_TYPES} == EXPECTED_TYPES
    assert answer.headers["X-SODA2-Truth-Last-Modified"] == "Mon, 02 Nov 2026 21:48:01 GMT"
    assert answer.headers["Content-Type"] == "application/json;charset=utf-8"
    assert answer.headers["ETag"] == again.headers["ETag"] != other.headers["ETag"]


def test_metadata_names_types_and_identity(small_store):
    with serve(small_store) as handle, client_of(handle) as client:
        view = client.get_metadata(DATASET)
    types = {column["fieldName"]: column["dataTypeName"] for column in view["columns"]}
    assert len(types) == 22
    assert types["arrest"] == "checkbox"
    assert types["date"] == "calendar_date"
    assert (types["ward"], types["community_area"]) == ("number", "text")
    assert view["name"] == "Crimes - 2001 to Present"
    assert view["rowsUpdatedAt"] == 1793656081
    assert view["metadata"]["custom_fields"]["simulator"]["identity"] == small_store.identity
    assert small_store.identity.startswith("file:sha256=")


def test_another_data_set_is_not_found(small_store):
    with serve(small_store) as handle, client_of(handle) as client:
        with pytest.raises(HTTPError, match="404"):
            client.get("abcd-1234")
        with pytest.raises(HTTPError, match="404"):
            client.get_metadata("abcd-1234")
        body = requests.get(f"{handle.url}/resource/abcd-1234.json", timeout=5).json()
    assert body == {"code": "dataset.missing", "error": True, "message": "Not found", "data": {"id": "abcd-1234"}}


def test_requests_without_a_token_are_throttled_over_the_budget(small_store):
    with serve(small_store, app_token="known", anonymous_per_minute=2) as handle:
        with client_of(handle) as anonymous:
            assert len(anonymous.get(DATASET, limit=1)) == 1
            anonymous.get(DATASET, limit=1)
            with pytest.raises(HTTPError, match="429"):
                anonymous.get(DATASET, limit=1)
        with client_of(handle, token="known") as member:
            for _ in range(4):
                member.get(DATASET, limit=1)
        with client_of(handle, token="unknown") as stranger, pytest.raises(HTTPError, match="403"):
            stranger.get(DATASET, limit=1)


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("429", HTTPError, "429"),
        ("429-retry-after", HTTPError, "429"),
        ("500", HTTPError, "500"),
        ("502", HTTPError, "502"),
        ("disconnect", ChunkedEncodingError, "IncompleteRead|broken"),
        ("truncated-json", JSONDecodeError, "Expecting|Unterminated|delimiter"),
        ("invalid-json", JSONDecodeError, "Expecting"),
        ("html", Exception, "Unknown response format"),
        ("timeout", (ReadTimeout, GoneError), "timed out"),
    ],
)
def test_a_fault_strikes_its_page_once(small_store, fault, error, words):
    with serve(small_store, faults=[f"{fault}:2"]) as handle, client_of(handle, timeout=0.5) as client:
        assert len(client.get(DATASET)) == 8
        client.get(DATASET, select="count(*)")
        with pytest.raises(error, match=words):
            client.get(DATASET)
        assert len(client.get(DATASET)) == 8


def test_a_starred_fault_strikes_every_page_but_no_count(small_store):
    with serve(small_store, faults=["500:*"]) as handle, client_of(handle) as client:
        for _ in range(2):
            with pytest.raises(HTTPError, match="500"):
                client.get(DATASET)
        assert client.get(DATASET, select="count(*)") == [{"count": "8"}]


def test_202_is_handed_back_as_if_it_were_data(small_store):
    with serve(small_store, faults=["202"]) as handle, client_of(handle) as client:
        assert client.get(DATASET)["code"] == "request_processing"


def test_truncated_and_short_pages_look_whole_to_http(small_store):
    faults = ["truncated-csv:1", "short-page:2", "short-page:3"]
    with serve(small_store, faults=faults) as handle, client_of(handle) as client:
        cut = client.get(DATASET, content_type="csv", select="id, block")
        assert cut[-1] != ["1004", "100XX W OHARE ST"]
        assert 1 < len(client.get(DATASET, content_type="csv")) < 9
        assert 0 < len(client.get(DATASET)) < 8


def test_retry_after_is_honoured_by_a_retrying_client(small_store):
    retry = Retry(total=2, status_forcelist=[429], allowed_methods=["GET"], raise_on_status=False)
    with serve(small_store, faults=["429-retry-after"]) as handle:
        adapter = {"prefix": "http://", "adapter": HTTPAdapter(max_retries=retry)}
        start = time.monotonic()
        with Socrata(handle.domain, None, session_adapter=adapter) as client:
            assert len(client.get(DATASET)) == 8
        assert time.monotonic() - start >= 1


def test_drifted_schemas(small_store):
    with serve(small_store, faults=["new-column:2"]) as handle, client_of(handle) as client:
        assert "district_name" not in client.get(DATASET, where="id = 20")[0]
        client.get(DATASET)
        assert client.get(DATASET, where="id = 20")[0]["district_name"] == "District 001"
        assert len(client.get_metadata(DATASET)["columns"]) == 23
    with serve(small_store, faults=["missing-column"]) as handle, client_of(handle) as client:
        assert "fbi_code" not in client.get(DATASET, limit=1)[0]
        with pytest.raises(HTTPError, match="no-such-column"):
            client.get(DATASET, select="id, fbi_code")
    with serve(small_store, faults=["retyped-column"]) as handle, client_of(handle) as client:
        with pytest.raises(HTTPError, match="type-mismatch"):
            client.get(DATASET, where="ward = 5")
        assert [row["id"] for row in client.get(DATASET, where="ward = '5'")] == ["1000"]


def test_reshuffle_moves_what_the_order_leaves_open_and_nothing_else(generated):
    with serve(generated, faults=["reshuffle"]) as handle, client_of(handle) as client:
        pages = [[row["id"] for row in client.get(DATASET, select="id", limit=200)] for _ in range(2)]
        keyed = [[row["id"] for row in client.get(DATASET, select="id", order="id", limit=200)] for _ in range(2)]
    assert pages[0] != pages[1]
    assert keyed[0] == keyed[1] == sorted(keyed[0], key=int)


def test_unknown_faults_and_ports_in_use_are_usage_errors(small_store):
    with pytest.raises(UsageError, match="no fault 'flood'"), serve(small_store, faults=["flood"]):
        pass
    with pytest.raises(UsageError, match="no data page"), serve(small_store, faults=["500:0"]):
        pass
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} cannot be used"), serve(small_store, port=port):
            pass


def test_every_fault_says_what_it_does():
    assert {fault.kind for fault in FAULTS.values()} == {"answer", "state", "change"}
    assert all(fault.effect for fault in FAULTS.values())


def test_requests_are_logged_with_their_page(small_store):
    with serve(small_store) as handle, client_of(handle) as client:
        client.get(DATASET, select="count(*)")
        client.get(DATASET, where="id > 20")
        client.get(DATASET, where="id > 1000")
        assert [request.page for request in handle.requests] == [0, 1, 2]
        assert handle.requests[-1].parameters["$where"] == "id > 1000"
