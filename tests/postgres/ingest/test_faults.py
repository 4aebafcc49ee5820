import pytest

from include.errors import PlatformError, TerminalError
from include.source import SchemaDriftError, source_from_url
from include.source.simulator import generate_store, serve

PASSING = ["429:2", "429-retry-after:3", "500:2", "502:3", "202:2", "timeout:3", "disconnect:2", "truncated-csv:3",
           "short-page:2", "reshuffle:1", "full-replace:4", "clock-skew:4"]  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    return 1_000


@pytest.mark.parametrize("fault", PASSING)
def test_a_full_load_is_whole_whatever_passes_by(ingest, settings, raw, rows, fault):
    with serve(generate_store(rows=rows), faults=[fault]) as source:
        result = ingest(source_from_url(source.url, settings))
        ids = {int(row_id) for row_id in source.site.store.ids}
    assert result.status == "published"
    assert result.row_count == len(ids)
    assert {row[0] for row in raw('SELECT "ID" FROM public.crime_incidents')} == ids


def test_a_new_column_warns_and_loads(ingest, settings, rows):
    with serve(generate_store(rows=rows), faults=["new-column"]) as source:
        result = ingest(source_from_url(source.url, settings))
    assert result.status == "published"
    assert [warning for warning in result.warnings if "new column, district_name" in warning]


@pytest.mark.parametrize(
    ("fault", "said"), [("missing-column", "missing: fbi_code"), ("retyped-column", "ward is text")]
)
def test_drift_stops_before_the_first_page(ingest, settings, raw, rows, fault, said):
    with serve(generate_store(rows=rows), faults=[fault]) as source, pytest.raises(SchemaDriftError, match=said):
        ingest(source_from_url(source.url, settings))
    assert raw("SELECT status, stage, rows_received FROM ops.ingest_run") == [("failed", "plan", 0)]
    assert not (settings.landing_dir).exists()


@pytest.mark.parametrize("fault", ["500:*", "html:3", "truncated-csv:*"])
def test_a_source_that_stays_broken_publishes_nothing_and_a_rerun_completes(ingest, settings, raw, rows, fault):
    store = generate_store(rows=rows)
    with serve(store, faults=[fault]) as source, pytest.raises(PlatformError) as caught:
        ingest(source_from_url(source.url, settings))
    assert "to do" in str(caught.value) or "expected" in str(caught.value)
    assert raw("SELECT count(*) FROM raw.crime") == [(0,)]
    assert raw("SELECT count(*) FROM ops.snapshot") == [(0,)]
    with serve(store) as source:
        assert ingest(source_from_url(source.url, settings)).row_count == len(store)


def test_a_mass_deletion_while_pages_are_pulled_stops(ingest, settings, raw, rows):
    store = generate_store(rows=rows)
    with serve(store) as source:
        first = ingest(source_from_url(source.url, settings))
    with serve(store, faults=["mass-deletion:2"]) as source, pytest.raises(TerminalError) as caught:
        ingest(source_from_url(source.url, settings), mode="full")
    assert caught.value.exit_code == 3
    assert raw("SELECT count(*) FROM raw.crime WHERE deleted_at IS NOT NULL") == [(0,)]
    assert raw("SELECT snapshot_id FROM ops.snapshot WHERE state = 'published'") == [(first.snapshot_id,)]


def test_weeks_pass_and_the_increments_follow(ingest, settings, raw):
    many = settings.model_copy(update={"page_rows": 5_000})
    with serve(generate_store(rows=20_000)) as source:
        ingest(source_from_url(source.url, many), settings=many)
        for _ in range(3):
            source.advance(1)
            result = ingest(source_from_url(source.url, many), settings=many)
            assert result.status == "published"
            assert result.inserted > 0
        ids = {int(row_id) for row_id in source.site.store.ids}
    assert {row[0] for row in raw('SELECT "ID" FROM public.crime_incidents')} == ids
    assert raw("SELECT count(*) FROM ops.ingest_run WHERE mode = 'incremental'") == [(3,)]
