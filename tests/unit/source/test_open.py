import pytest

from include.errors import UsageError
from include.settings import Settings
from include.source import SourceDownError, served, source_from_file, source_from_generator, source_from_url
from include.source.simulator import generate_store, serve


def test_a_simulator_says_what_it_serves(tmp_path):
    with serve(generate_store(rows=1_000, seed=3)) as source:
        found = source_from_url(f"{source.url}/", Settings(home=tmp_path))
    assert found.kind == "generator"
    assert found.identity == source.identity
    assert (found.rows, found.seed) == (1_000, 3)


def test_a_dead_source_is_one_clear_error(tmp_path):
    with pytest.raises(SourceDownError, match="cannot be reached"):
        source_from_url("http://127.0.0.1:9", Settings(home=tmp_path, source_attempts=1))


def test_a_file_that_cannot_be_read_is_said_before_anything_starts(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        source_from_file(tmp_path / "missing.csv")
    with pytest.raises(UsageError, match="cannot be read"):
        source_from_file(tmp_path)


def test_a_file_without_crimes_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    source = source_from_file(tmp_path / "other.csv")
    with pytest.raises(UsageError, match="not a file of crimes"), served(source, settings=Settings(home=tmp_path)):
        pass


def test_generated_rows_are_served_while_the_block_lasts(tmp_path):
    settings = Settings(home=tmp_path, source_attempts=1)
    with served(source_from_generator(1_000, seed=5), settings=settings) as source:
        assert source.identity.startswith("generator:")
        assert source_from_url(source.url, settings).identity == source.identity
    with pytest.raises(SourceDownError):
        source_from_url(source.url, settings)
