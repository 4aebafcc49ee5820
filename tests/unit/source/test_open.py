import subprocess
import sys
import time

import pytest

from include.errors import UsageError
from include.settings import PROJECT_ROOT, Settings
from include.source import SourceDownError, served, source_from_file, source_from_generator, source_from_url
from include.source.simulator import generate_store, serve
from tests.support.incidents import incident, write_file


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


def test_a_served_file_ends_with_the_process_that_is_killed(tmp_path):
    path = write_file(tmp_path / "crimes.csv", [incident(1)])
    program = (
        "import time, sys; from pathlib import Path; from include.settings import Settings\n"
        "from include.source import served, source_from_file\n"
        "with served(source_from_file(Path(sys.argv[1])), settings=Settings()) as source:\n"
        "    print(source.url, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        process.kill()
    ending = time.monotonic() + 10
    while answers(url, Settings(home=tmp_path, source_attempts=1)):
        assert time.monotonic() < ending
        time.sleep(0.05)


def answers(url, settings):
    try:
        source_from_url(url, settings)
    except SourceDownError:
        return False
    return True
