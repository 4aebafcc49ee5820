import pytest

from include.errors import TransientError
from include.ingest.plan import plan_full
from include.settings import Settings
from include.source import LandingError, LandTask, NotDataError, SourceReader, land_task, read_landed, source_from_url
from include.source.simulator import generate_store, serve

TASK = LandTask("range-0", "id")


@pytest.fixture(scope="module")
def store():
    return generate_store(rows=1_000)


def settings_for(tmp_path, **values):
    return Settings(home=tmp_path, page_rows=300, source_backoff=0.001, source_timeout=1, **values)


def land(source, tmp_path, *, task=TASK, folder="range-0", **values):
    settings = settings_for(tmp_path, **values)
    with SourceReader(source_from_url(source.url, settings), settings=settings) as reader:
        return land_task(reader, task, tmp_path / folder, settings=settings)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_all_rows_land_in_pages(store, tmp_path, form):
    with serve(store) as source:
        landed = land(source, tmp_path, page_format=form)
        assert landed.complete
        assert landed.rows == len(store)
        assert [page.rows for page in landed.pages] == [300, 300, 300, len(store) - 900]
        assert read_landed(tmp_path / "range-0") == landed


FAULTS = ["429", "500", "502", "202", "timeout", "disconnect", "truncated-csv", "short-page", "429-retry-after"]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_row_lands_once_whatever_passes_by(store, tmp_path, fault):
    with serve(store, faults=[f"{fault}:3"]) as source:
        landed = land(source, tmp_path)
    assert landed.complete
    assert landed.rows == len(store)


@pytest.mark.parametrize("fault", ["truncated-json", "invalid-json"])
def test_every_row_lands_once_in_json(store, tmp_path, fault):
    with serve(store, faults=[f"{fault}:3"]) as source:
        assert land(source, tmp_path, page_format="json").rows == len(store)


def test_a_source_that_keeps_failing_stops_after_the_attempts(store, tmp_path):
    with serve(store, faults=["500:*"]) as source:
        with pytest.raises(TransientError, match="500"):
            land(source, tmp_path, source_attempts=3)
        assert len(source.requests) == 3


def test_html_stops_at_once(store, tmp_path):
    with serve(store, faults=["html:2"]) as source, pytest.raises(NotDataError, match="source answered HTML"):
        land(source, tmp_path)


def test_a_second_attempt_continues_after_the_last_whole_page(store, tmp_path):
    with serve(store, faults=["html:3"]) as source, pytest.raises(NotDataError):
        land(source, tmp_path)
    (tmp_path / "range-0" / "page-00002.csv.gz.part").write_bytes(b"half a page")
    with (tmp_path / "range-0" / "manifest.jsonl").open("a") as manifest:
        manifest.write('{"file": "page-00002.csv.gz", "rows"')
    with serve(store) as source:
        landed = land(source, tmp_path)
        pages = [r for r in source.requests if "$order" in str(r)]
    assert landed.rows == len(store)
    assert len(pages) == 2
    assert not list((tmp_path / "range-0").glob("*.part"))
    assert read_landed(tmp_path / "range-0") == landed


def test_a_page_removed_since_is_pulled_again(store, tmp_path):
    with serve(store) as source:
        land(source, tmp_path)
        (tmp_path / "range-0" / "page-00001.csv.gz").unlink()
        manifest = tmp_path / "range-0" / "manifest.jsonl"
        assert not read_landed(tmp_path / "range-0").complete
        assert land(source, tmp_path).rows == len(store)
        assert manifest.read_text().count('"file"') == 4


def test_a_finished_task_asks_nothing(store, tmp_path):
    with serve(store) as source:
        land(source, tmp_path)
        before = len(source.requests)
        land(source, tmp_path)
        assert len(source.requests) == before


def test_ranges_together_hold_every_row_once(store, tmp_path):
    with serve(store) as source:
        settings = settings_for(tmp_path)
        with SourceReader(source_from_url(source.url, settings), settings=settings) as reader:
            tasks = plan_full(reader.months(), ranges=4, page_rows=100)
        landed = [land(source, tmp_path, task=task, folder=task.name).rows for task in tasks]
    assert len(landed) == 4
    assert sum(landed) == len(store)
    assert min(landed) > len(store) / 4 * 0.8


def test_a_home_that_cannot_be_written_is_said(store, tmp_path):
    (tmp_path / "range-0").write_text("a file in the way")
    with serve(store) as source, pytest.raises(LandingError, match="cannot be"):
        land(source, tmp_path)
