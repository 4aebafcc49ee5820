"""One page: streamed from the answer to a compressed file, unaltered, and checked on the way."""

import csv
import gzip
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import requests

from include.dataset import UPDATED_AT
from include.source.errors import BrokenBodyError, LandingError, SourceDownError
from include.source.jsonrows import json_records
from include.source.paging import Cursor, LandTask

CHUNK_BYTES = 1 << 16
_LEVEL = 1


@dataclass(frozen=True)
class Page:
    """One landed page. `rows` counts records, not lines; `bytes` and `sha256` are those of the unaltered body."""

    file: str
    rows: int
    bytes: int
    sha256: str
    header: tuple[str, ...]
    last: Cursor


class _Tee(io.RawIOBase):
    """The body as a file that also writes what is read to the landing file and a digest."""

    def __init__(self, chunks: Iterable[bytes], sink: IO[bytes] | gzip.GzipFile) -> None:
        self._chunks = iter(chunks)
        self._sink = sink
        self._rest = b""
        self.digest = hashlib.sha256()
        self.bytes = 0
        self.tail = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # io types it as any buffer
        if not self._rest:
            self._rest = next(self._chunks, b"")
            self._sink.write(self._rest)
            self.digest.update(self._rest)
            self.bytes += len(self._rest)
            self.tail = self._rest[-1:] or self.tail
            if b"\0" in self._rest:
                raise BrokenBodyError("the page holds a zero byte", expected="text")
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def write_page(response: requests.Response, target: Path, *, task: LandTask, after: Cursor) -> Page:
    """Stream a page to `target` (gzip) and return what it holds.

    The file appears under its name only when it is whole and on disk.

    Raises:
        BrokenBodyError: cut short, malformed, not the requested columns, or not in the requested order.
        SourceDownError: when the connection breaks.
        LandingError: when the file cannot be written.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        with response, part.open("wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=_LEVEL, mtime=0, filename="") as packed:
                tee = _Tee(_chunks(response), packed)
                header, rows, last = _check(
                    tee, task=task, after=after, is_json="json" in response.headers["Content-Type"]
                )
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise LandingError(
            f"{target} cannot be written: {error.strerror or error}",
            expected="room and the right to write there",
            action="free space, or set CRIME_HOME to a disk with room, then run again",
        ) from error
    return Page(target.name, rows, tee.bytes, tee.digest.hexdigest(), header, last)


def page_records(path: Path, page: Page) -> Iterator[list[str]]:
    """Yield the records of a landed page, their values in the order of its header."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        if path.name.endswith(".json.gz"):
            yield from json_records(text, columns=page.header)
        else:
            reader = csv.reader(text)
            next(reader, None)
            yield from reader


def normalise_header(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns as the API names them, whichever of the two forms of header was published."""
    return tuple(re.sub(r"\s+", "_", name.strip("\ufeff \t").lower()) for name in names)


def instant(text: str) -> datetime:
    """Return a time of the source; one without a zone is UTC, as system fields are."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _chunks(response: requests.Response) -> Iterator[bytes]:
    try:
        yield from response.iter_content(CHUNK_BYTES)
    except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError) as error:
        raise BrokenBodyError(f"the answer broke off: {error}", action="try again later") from error
    except requests.RequestException as error:
        raise SourceDownError(f"the source stopped sending: {error}", action="try again later") from error


def _check(tee: _Tee, *, task: LandTask, after: Cursor, is_json: bool) -> tuple[tuple[str, ...], int, Cursor]:
    text = io.TextIOWrapper(io.BufferedReader(tee, CHUNK_BYTES), encoding="utf-8", newline="")
    try:
        if is_json:
            header, records = task.columns, json_records(text, columns=task.columns)
        else:
            reader = csv.reader(text, strict=True)
            header, records = normalise_header(next(reader, [])), reader
        if set(header) != set(task.columns) or len(header) != len(task.columns):
            raise BrokenBodyError(f"a page with the columns {', '.join(header)}", expected=", ".join(task.columns))
        rows, last = _walk(records, header=header, task=task, after=after)
    except (csv.Error, UnicodeDecodeError) as error:
        raise BrokenBodyError(f"the page is cut or malformed: {error}", expected="whole records") from error
    if not is_json and tee.tail != b"\n":
        raise BrokenBodyError("the page ends within a record", expected="a line end after the last record")
    return header, rows, last


def _walk(
    records: Iterable[list[str]], *, header: tuple[str, ...], task: LandTask, after: Cursor
) -> tuple[int, Cursor]:
    """Count the records and see that their keys rise; a record whose key is no key is for the merge to reject."""
    width, rows, last = len(header), 0, after
    key_of = _key_reader(task=task)
    previous = key_of(after.updated_at or "", str(after.id)) if after.id is not None else None
    id_at = header.index("id")
    time_at = header.index(UPDATED_AT.name) if task.keyset == "updated_at" else id_at
    for record in records:
        rows += 1
        if len(record) != width:
            raise BrokenBodyError(f"record {rows} has {len(record)} fields", expected=f"{width} fields")
        try:
            key = key_of(record[time_at], record[id_at])
        except ValueError:
            continue
        if previous is not None and key <= previous:
            raise BrokenBodyError(
                f"record {rows} (id {record[id_at]}) does not lie behind the one before it (id {last.id})",
                expected=f"rows in the order of {task.keyset}",
            )
        previous = key
        last = Cursor(record[time_at] if task.keyset == "updated_at" else None, key[1])
    return rows, last


def _key_reader(*, task: LandTask) -> Callable[[str, str], tuple[datetime, int]]:
    """Return the function that makes a sortable key of the texts of `:updated_at` and `id`."""
    if task.keyset == "id":
        epoch = datetime.min
        return lambda _, row_id: (epoch, int(row_id))
    moments: dict[str, datetime] = {}

    def read(updated_at: str, row_id: str) -> tuple[datetime, int]:
        # Bulk touches give a million rows one time.
        if updated_at not in moments:
            moments.clear()
            moments[updated_at] = instant(updated_at)
        return moments[updated_at], int(row_id)

    return read
