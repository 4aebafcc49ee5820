import gzip
import hashlib

import pytest

from include.source import BrokenBodyError, Cursor, LandingError, LandTask
from include.source.pages import normalise_header, page_records, write_page
from include.source.paging import START
from tests.support.incidents import answer, csv_text, incident

BY_ID = LandTask("range-0", "id")
BY_TIME = LandTask("increment", "updated_at")
LATER = "2024-03-10T12:00:00.001Z"


def test_a_page_is_landed_unaltered(tmp_path):
    body = csv_text([incident(5), incident(7, location_description="TWO\nLINES, AND A COMMA"), incident(12)])
    page = write_page(answer(body), tmp_path / "page.csv.gz", task=BY_ID, after=START)
    assert gzip.decompress((tmp_path / "page.csv.gz").read_bytes()).decode() == body
    assert (page.rows, page.last, page.bytes) == (3, Cursor(None, 12), len(body))
    assert page.sha256 == hashlib.sha256(body.encode()).hexdigest()
    assert [record[page.header.index("id")] for record in page_records(tmp_path / page.file, page)] == ["5", "7", "12"]
    assert list(tmp_path.iterdir()) == [tmp_path / "page.csv.gz"]


def test_the_same_body_gives_the_same_file(tmp_path):
    for name in ("a", "b"):
        write_page(answer(csv_text([incident(5)])), tmp_path / name, task=BY_ID, after=START)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_empty_page_keeps_the_cursor(tmp_path):
    page = write_page(answer(csv_text([])), tmp_path / "p", task=BY_ID, after=Cursor(None, 9))
    assert (page.rows, page.last) == (0, Cursor(None, 9))


def test_keys_of_an_increment_are_compared_as_times_then_numbers(tmp_path):
    rows = [incident(9), incident(10), incident(2, updated_at=LATER)]
    page = write_page(answer(csv_text(rows)), tmp_path / "p", task=BY_TIME, after=Cursor("2024-03-10T12:00:00Z", 8))
    assert page.last == Cursor(LATER, 2)


def test_a_row_with_an_unreadable_key_is_landed_for_the_merge_to_reject(tmp_path):
    rows = [incident(5), incident("5x"), incident(7)]
    assert write_page(answer(csv_text(rows)), tmp_path / "p", task=BY_ID, after=START).rows == 3


WHOLE = csv_text([incident(5), incident(7)])
BROKEN = {
    "cut within a record": (WHOLE[:-30], START),
    "cut within a quoted value": (WHOLE[: WHOLE.rindex("THEFT") + 2], START),
    "cut before the last line end": (WHOLE[:-1], START),
    "a record with a field too many": (WHOLE + '"1"' + ',"x"' * 22 + "\n", START),
    "another column": (WHOLE.replace("fbi_code", "fbi"), START),
    "a missing column": (csv_text([incident(5)], columns=["id", "date"]), START),
    "nothing at all": ("", START),
    "no text": (b"\xff\xfe\x00" + WHOLE.encode(), START),
    "a zero byte": (WHOLE.replace("STREET", "STR\0EET"), START),
    "rows out of order": (csv_text([incident(7), incident(5)]), START),
    "a row twice": (csv_text([incident(7), incident(7)]), START),
    "rows from before the cursor": (WHOLE, Cursor(None, 5)),
}


@pytest.mark.parametrize(("body", "after"), BROKEN.values(), ids=BROKEN)
def test_a_broken_page_is_refused_and_not_landed(body, after, tmp_path):
    with pytest.raises(BrokenBodyError):
        write_page(answer(body), tmp_path / "page.csv.gz", task=BY_ID, after=after)
    assert not (tmp_path / "page.csv.gz").exists()


def test_an_increment_out_of_order_is_refused(tmp_path):
    rows = [incident(5, updated_at=LATER), incident(7)]
    with pytest.raises(BrokenBodyError, match="does not lie behind"):
        write_page(answer(csv_text(rows)), tmp_path / "p", task=BY_TIME, after=START)


def test_a_full_disk_is_said(tmp_path):
    (tmp_path / "p.part").symlink_to("/dev/full")
    with pytest.raises(LandingError, match="No space left"):
        write_page(answer(WHOLE), tmp_path / "p", task=BY_ID, after=START)


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        (["\ufeffID", "Case Number", "X Coordinate"], ("id", "case_number", "x_coordinate")),
        ([":updated_at", "id"], (":updated_at", "id")),
    ],
)
def test_both_forms_of_header_are_known(published, expected):
    assert normalise_header(published) == expected


def test_json_pages_hold_the_same_records(tmp_path):
    body = '[{"id":"5","arrest":true,"ward":"3"}\n,{"id":"6","domestic":false}]\n'
    task = LandTask("range-0", "id", columns=("id", "ward", "arrest", "domestic"))
    page = write_page(answer(body, content_type="application/json"), tmp_path / "p.json.gz", task=task, after=START)
    assert (page.rows, page.last.id) == (2, 6)
    assert list(page_records(tmp_path / "p.json.gz", page)) == [["5", "3", "true", ""], ["6", "", "", "false"]]
