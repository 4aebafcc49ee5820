"""Hand-made rows of the source, as the files a simulator serves and as answers of a source."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import requests

from include.source.paging import ROW_COLUMNS

_DEFAULTS = {
    ":updated_at": "2024-03-10T12:00:00.000Z",
    "case_number": "JH100001",
    "date": "2024-03-01T13:30:00.000",
    "block": "001XX N STATE ST",
    "iucr": "0820",
    "primary_type": "THEFT",
    "description": "$500 AND UNDER",
    "location_description": "STREET",
    "arrest": "false",
    "domestic": "false",
    "beat": "0111",
    "district": "001",
    "ward": "42",
    "community_area": "32",
    "fbi_code": "06",
    "x_coordinate": "1176352",
    "y_coordinate": "1900927",
    "year": "2024",
    "updated_on": "2024-03-08T15:41:22.000",
    "latitude": "41.883500187",
    "longitude": "-87.627876698",
}


def incident(row_id: int | str, **fields: str) -> dict[str, str]:
    """One row of the source; `updated_at` stands for `:updated_at`."""
    named = {":updated_at" if name == "updated_at" else name: value for name, value in fields.items()}
    return _DEFAULTS | {"id": str(row_id)} | named


def csv_text(rows: Iterable[Mapping[str, str]], *, columns: Iterable[str] = ROW_COLUMNS) -> str:
    """The rows as the API's CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), quoting=csv.QUOTE_ALL, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_file(path: Path, rows: Iterable[Mapping[str, str]]) -> Path:
    """Write the rows as a file that a simulator serves."""
    path.write_text(csv_text(rows), encoding="utf-8")
    return path


def answer(
    body: str | bytes, *, status: int = 200, content_type: str = "text/csv; charset=utf-8", **headers: str
) -> requests.Response:
    """An answer of a source, unread."""
    response = requests.Response()
    response.status_code = status
    response.reason = "as set"
    response.url = "http://source.test/resource/ijzp-q8t2.csv?$limit=10"
    response.headers.update({"Content-Type": content_type} | {k.replace("_", "-"): v for k, v in headers.items()})
    response.raw = io.BytesIO(body.encode() if isinstance(body, str) else body)
    return response
