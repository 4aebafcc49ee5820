import io
import json

import pytest

from include.source import BrokenBodyError
from include.source.jsonrows import json_records


def test_objects_that_straddle_the_blocks_that_are_read():
    rows = [{"id": str(number), "block": "é" * (number % 97)} for number in range(5_000)]
    text = io.StringIO(json.dumps(rows, ensure_ascii=False))
    assert list(json_records(text, columns=("id", "block"))) == [[row["id"], row["block"]] for row in rows]


def test_no_rows():
    assert list(json_records(io.StringIO(" [ ]\n"), columns=("id",))) == []


@pytest.mark.parametrize(
    "text", ["", "[", '[{"id": "1"}', '[{"id": "1"},]', '[{"id": "1"', "{}", '[{"id":"1"}] x', "[1]", '[{"other": 1}]']
)
def test_what_is_no_whole_array_of_rows_is_refused(text):
    with pytest.raises(BrokenBodyError):
        list(json_records(io.StringIO(text), columns=("id",)))
