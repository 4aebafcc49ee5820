"""Whatever strikes an ingestion: it completes, or nothing is published and the next one completes.

The default run holds one load of each kind of trouble; `make chaos` holds all of them, with more rows.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import requests

from include.errors import PlatformError
from include.ingest import IngestRequest, run_ingest
from include.settings import Settings
from include.source import SourceSpec
from include.source.simulator import RowStore, SimulatorHandle, open_store, serve
from include.warehouse import EmbeddedServer, Warehouse, run_bootstrap
from tests.conftest import TEST_PASSWORDS, open_directory, start_for_tests
from tests.support.chaos import OUTCOMES, PLACES, Outcome, run_child, striking
from tests.support.incidents import incident, write_file

EVERYTHING = os.environ.get("CHAOS") == "all"
ROWS = 12_000 if EVERYTHING else 600
PAGE = ROWS // 12
OLD, MONDAY, TUESDAY = "2024-01-05T12:00:00.000Z", "2024-03-11T12:00:00.000Z", "2024-03-12T12:00:00.000Z"
IDENTITY = "file:sha256=chaos"
_HOURS = [14 if hour == 5 else hour for hour in range(24)]
"""Quietest in the hour in which it is so in life: a gate looks."""
_FIELDS = ("id", "arrest", "ward", "updated_on", "iucr")


def make_row(number, **fields):
    return incident(
        3 * number,
        **{
            "updated_at": OLD,
            "date": f"{2022 + number % 2}-{number % 12 + 1:02}-{number % 28 + 1:02}T{_HOURS[number % 24]:02}:15:00.000",
            "year": str(2022 + number % 2),
            "block": f"{number % 40:03}XX N STATE ST",
        }
        | fields,
    )


BASE = [make_row(number) for number in range(1, ROWS + 1)]
"""What was loaded before: the next state has a tenth of it changed, some rows gone and others new."""
NEXT = [
    *(make_row(n, arrest="true", updated_at=MONDAY) for n in range(1, ROWS // 10)),
    *(make_row(n, updated_on="2024-03-11T09:00:00.000", updated_at=MONDAY) for n in range(ROWS // 10, ROWS // 8)),
    *(make_row(n) for n in range(ROWS // 8, ROWS + 1) if n % 200),
    *(make_row(n, updated_at=TUESDAY) for n in range(ROWS + 1, ROWS + ROWS // 8)),
]


@dataclass(frozen=True)
class Case:
    """One kind of trouble.

    Attributes:
        name: shown in the table.
        faults: switches of the simulator.
        place: where the ingestion is struck.
        strike: with what.
        stops: whether the first run must stop; None = both are right.
        said: what its record says then.
        heals: the source is whole again at the rerun.
        loads: what the run does.
    """

    name: str
    faults: tuple[str, ...] = ()
    place: str | None = None
    strike: str = ""
    stops: bool | None = False
    said: str = ""
    heals: bool = False
    loads: tuple[str, ...] = ("full",)


def fault(name: str, *, stops: bool | None = False, said: str = "", heals: bool = False, loads=("full", "increment")):
    return Case(name, faults=(name,), stops=stops, said=said, heals=heals, loads=loads)


SOURCE_CASES = [
    *map(fault, ("429:3", "429-retry-after:3", "500:3", "502:3", "202:3", "timeout:3", "disconnect:3")),
    *map(fault, ("truncated-csv:3", "short-page:3", "reshuffle:1", "full-replace:3", "clock-skew:3", "new-column")),
    fault("insert-between-pages:3"),
    Case("truncated-json:3", faults=("truncated-json:3",), strike="json", loads=("full", "increment")),
    Case("invalid-json:3", faults=("invalid-json:3",), strike="json", loads=("full", "increment")),
    fault("429:*", stops=True, said="throttles this client"),
    fault("500:*", stops=True, said="failed on its side"),
    fault("202:*", stops=True, said="still preparing"),
    fault("timeout:*", stops=True, said="stop|answer", loads=("increment",)),
    fault("truncated-csv:*", stops=True, said="ends within a record|fields|cut"),
    fault("html:3", stops=True, said="HTML"),
    fault("missing-column", stops=True, said="missing: fbi_code"),
    fault("retyped-column", stops=True, said="ward is text"),
    fault("mass-deletion:3", stops=True, said="deleted|fewer", heals=True),
]
MOVED = [
    make_row(1, arrest="true", iucr="0810", updated_at="2024-03-13T12:00:00.000Z"),
    *(row for row in NEXT if row["id"] not in ("3", "27", "900")),
    make_row(200, updated_at="2024-03-13T12:00:00.000Z"),
]
"""The source after it moved while it was read: a row revised, two gone, one come behind what was read."""
MOVES = [Case("rows move between pages", place="land, third page", strike="move", loads=("full", "increment"))]
KILLED = [Case(f"kill -9: {place}", place=place, strike="kill", stops=None) for place in PLACES]
CRASHED = [Case(f"server crash: {place}", place=place, strike="crash", stops=None) for place in PLACES]
DISK = [
    Case("disk full, first page", strike="400", stops=True, said="cannot be written", loads=("full", "increment")),
    Case("disk full, manifest", strike="2400", stops=True, said="cannot be written"),
]


def cases():
    """Every case with each of its loads; without CHAOS=all, one load of each."""
    for case in [*SOURCE_CASES, *MOVES, *DISK]:
        for load in case.loads if EVERYTHING or case.strike == "move" else case.loads[-1:]:
            yield pytest.param(case, load, id=f"{case.name}, {load}")
    for case in [*KILLED, *CRASHED]:
        for load in ("full", "increment") if EVERYTHING else ("increment",):
            yield pytest.param(case, load, id=f"{case.name}, {load}")


@dataclass(frozen=True)
class Stage:
    """Where the cases play: a server of their own, and databases to copy."""

    server: EmbeddedServer
    admin_url: str
    empty: Warehouse
    base: Warehouse

    def crash(self) -> None:
        """End the server as a power cut does, and start it again."""
        running = self.server.status()
        assert running is not None
        os.kill(running.pid, signal.SIGQUIT)
        while self.server.status() is not None:
            time.sleep(0.02)
        self.server.start()


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with open_directory() as home:
        server = EmbeddedServer(home)
        try:
            url = start_for_tests(server)
            empty = run_bootstrap(url, database="chaos_empty", passwords=TEST_PASSWORDS)
            base = run_bootstrap(url, database="chaos_base", passwords=TEST_PASSWORDS)
            directory = tmp_path_factory.mktemp("base")
            with (
                serve(open_store(write_file(directory / "base.csv", BASE))) as source,
                pytest.MonkeyPatch.context() as patch,
            ):
                patch.setattr("include.ingest.check.run_suite", lambda *_: [])
                run_ingest(base, IngestRequest(source=spec_of(source)), settings=settings_in(directory))
            yield Stage(server, url, empty, base)
        finally:
            server.destroy()


@pytest.fixture
def place(stage: Stage, request: pytest.FixtureRequest) -> Iterator[Warehouse]:
    """A copy of the database that the load begins with."""
    template = "chaos_empty" if request.getfixturevalue("load") == "full" else "chaos_base"
    origin = stage.empty if template == "chaos_empty" else stage.base
    name = f"chaos_{time.monotonic_ns()}"
    with psycopg.connect(stage.admin_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} OWNER crime_owner")
    yield Warehouse(*(url.replace(template, name) for url in (origin.owner_url, origin.reader_url, origin.analyst_url)))
    with psycopg.connect(stage.admin_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def settings_in(directory: Path, **fields: object) -> Settings:
    values: dict[str, object] = {
        "home": directory,
        "page_rows": PAGE,
        "full_ranges": 2,
        "source_attempts": 3,
        "source_backoff": 0.001,
        "source_timeout": 1,
        "publish_patience": 1,
    }
    return Settings(**values | fields)


def spec_of(source: SimulatorHandle) -> SourceSpec:
    return SourceSpec("file", source.url, "ijzp-q8t2", identity=IDENTITY)


@pytest.mark.parametrize(("case", "load"), list(cases()))
def test_it_completes_or_publishes_nothing_and_the_next_one_completes(stage, place, tmp_path, case, load):
    started = time.monotonic()
    settings = settings_in(tmp_path, page_format="json" if case.strike == "json" else "csv")
    mode = "full" if load == "full" else "incremental"
    before = published(place)
    store = open_store(write_file(tmp_path / "next.csv", NEXT))
    with serve(store, faults=case.faults) as source:
        first = run_first(stage, place, case, source, settings, mode=mode)
        store = source.site.store
    run = last_run(place)
    if first is None:
        assert case.stops is not True
        assert run["status"] == "published"
        check_rows(place, expected=rows_of(store))
    else:
        assert case.stops is not False, first
        if run["stage"] not in ("publish done", "publish"):
            assert published(place) == before
        check_record(run, first, case)
    if case.heals:
        store = open_store(tmp_path / "next.csv")
    with serve(store) as source:
        expected = rows_of(store)
        again = run_ingest(place, IngestRequest(source=spec_of(source)), settings=settings)
    assert again.status in ("published", "unchanged")
    check_rows(place, expected=expected)
    check_leftovers(place)
    said = "published"
    if first is not None and run["status"] != "published":
        said = f"{run['status']} at {run['stage']}: {'killed' if case.strike == 'kill' else run['error']['kind']}"
    OUTCOMES.append(
        Outcome(case.name, load, said, again.status, len(expected), again.row_count, time.monotonic() - started)
    )


def run_first(stage, place, case, source, settings, *, mode) -> str | None:
    """Run what is struck; what stopped it, or None."""
    if case.strike == "kill" or case.strike.isdigit():
        limit = int(case.strike) if case.strike.isdigit() else None
        small = settings.model_copy(update={"page_rows": 10}) if limit and limit > 1_000 else settings
        code, said = run_child(place, spec_of(source), small, mode=mode, kill_at=case.place, file_limit=limit)
        assert code in (0, -signal.SIGKILL) if case.strike == "kill" else code == 1, said
        return None if code == 0 else said or "killed"
    strikes = {"crash": stage.crash, "move": lambda: move(source, settings.home)}
    struck: AbstractContextManager[None] = nullcontext()
    if case.strike in strikes:
        struck = striking(case.place, strikes[case.strike])
    try:
        with struck:
            run_ingest(place, IngestRequest(source=spec_of(source), mode=mode), settings=settings)
    except PlatformError as error:
        return str(error)
    return None


def move(source: SimulatorHandle, directory: Path) -> None:
    store = open_store(write_file(directory / "moved.csv", MOVED))
    with source.site.lock:
        source.site.store = store


def check_record(run, first, case) -> None:
    """The run's record tells what happened; that of a killed process is settled by the next run."""
    if case.strike == "kill":
        assert run["status"] == "running"
        return
    assert run["status"] in ("failed", "refused", "held", "published", "running")
    if case.strike != "crash":
        # Two ranges may have been stopped, each with its own file in the message.
        for text in (run["error"]["message"], first):
            assert any(part in text for part in case.said.split("|")), text


def check_rows(place, *, expected) -> None:
    """`raw` and what is published hold the rows of the source, each once."""
    with place.owner() as conn:
        raw = conn.execute(
            "SELECT id, arrest, ward, to_char(updated_on, 'YYYY-MM-DD HH24:MI:SS'), iucr FROM raw.crime"
            " WHERE deleted_at IS NULL ORDER BY id"
        ).fetchall()
        built = conn.execute(
            'SELECT "ID", "ARREST", "WARD"::integer, to_char("UPDATED_ON", \'YYYY-MM-DD HH24:MI:SS\'), "IUCR"'
            ' FROM public.crime_incidents ORDER BY "ID"'
        ).fetchall()
    assert raw == expected
    assert built == expected


def check_leftovers(place) -> None:
    """Nothing lies about: no staging, no schema without a snapshot, no run or build that seems to go on."""
    with place.owner() as conn:

        def ask(query: str) -> list[tuple[object, ...]]:
            return conn.execute(query).fetchall()

        assert ask("SELECT tablename FROM pg_tables WHERE schemaname = 'staging'") == []
        assert ask("SELECT run_id FROM ops.ingest_run WHERE status = 'running'") == []
        assert ask("SELECT count(*) FROM ops.snapshot WHERE state = 'published'") == [(1,)]
        assert ask("SELECT snapshot_id FROM ops.snapshot WHERE state = 'building'") == []
        assert (
            ask(
                "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'snap\\_%' EXCEPT"
                " SELECT snapshot_id FROM ops.snapshot WHERE state <> 'dropped'"
            )
            == []
        )
        assert (
            ask(
                "SELECT run_id FROM ops.ingest_run WHERE status = 'published' AND"
                " (rows_received <> rows_landed"
                " OR distinct_ids <> inserted + updated + restamped + unchanged + rejected)"
            )
            == []
        )


def rows_of(store: RowStore) -> list[tuple[object, ...]]:
    """What a source without faults gives of a store."""
    with serve(store) as source:
        answer = requests.get(
            f"{source.url}/resource/ijzp-q8t2.json",
            params={"$select": ",".join(_FIELDS), "$order": "id", "$limit": "100000"},
            timeout=60,
        )
    return [
        (
            int(row["id"]),
            row["arrest"],
            int(row["ward"]),
            row["updated_on"].replace("T", " ")[:19],
            row["iucr"],
        )
        for row in answer.json()
    ]


def published(place: Warehouse) -> list[tuple[object, ...]]:
    with place.owner() as conn:
        return conn.execute("SELECT snapshot_id FROM ops.snapshot WHERE state = 'published'").fetchall()


def last_run(place: Warehouse) -> dict[str, object]:
    with place.owner() as conn:
        row = conn.execute(
            "SELECT status, stage, error FROM ops.ingest_run ORDER BY started_at DESC LIMIT 1"
        ).fetchone()
    return dict(zip(("status", "stage", "error"), row, strict=True))
