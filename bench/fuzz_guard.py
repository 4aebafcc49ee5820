"""Throw mutated attacks and benign queries at the guard: `python -m bench.fuzz_guard --seconds 60 --seed 7`.

The reader's role is granted canary tables and functions after the guard has verified it, so that nothing but the guard
keeps a text from them. Whether one got through is asked of the database: its counters of scans, calls and written rows,
its large objects, its catalogs and the contents of the snapshot, before and after.
"""

import logging
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import psycopg
import typer
import yaml
from psycopg.rows import dict_row

from agent.guard import Caller, Guard, GuardRefusal, Limits, QueryFailed, QueryTimeout
from bench.mutate import mutated
from include.dataset import table_ddl
from include.settings import PROJECT_ROOT, get_settings
from include.warehouse import EmbeddedServer, Passwords, Warehouse, run_bootstrap

FIXTURES = PROJECT_ROOT / "tests" / "fixtures" / "guard"
SCHEMA = "snap_test"
CANARY = "CANARY-7f3a"
LIMITS = Limits(max_rows=200, max_bytes=2**20, timeout_s=0.5, max_plan_cost=1e6)
CALLER = Caller("fuzz", "run", name="fuzz")
_DATABASE = "guard_fuzz"
_SETTLE = 1.5
"""Seconds until idle backends have handed in their counters."""


def main(
    seconds: Annotated[float, typer.Option(min=1, help="How long.")] = 60.0,
    seed: Annotated[int, typer.Option(help="The same seed makes the same texts.")] = 7,
    admin_url: Annotated[str, typer.Option(help="A superuser's URL; a throw-away server if empty.")] = "",
) -> None:
    """Print inputs, passes, refusals and what the database saw; end with 1 when anything got through."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    if admin_url:
        raise typer.Exit(_run(admin_url, seconds, seed))
    with tempfile.TemporaryDirectory(prefix="crime-fuzz-") as folder:
        Path(folder).chmod(0o755)
        server = EmbeddedServer(Path(folder))
        try:
            code = _run(server.start().admin_url, seconds, seed)
        finally:
            server.destroy()
    raise typer.Exit(code)


def _run(admin_url: str, seconds: float, seed: int) -> int:
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {_DATABASE} WITH (FORCE)")
    warehouse = run_bootstrap(admin_url, database=_DATABASE, passwords=Passwords("owner-f", "reader-f", "analyst-f"))
    try:
        with psycopg.connect(admin_url, dbname=_DATABASE, autocommit=True, row_factory=dict_row) as admin:
            return _fuzz(admin, warehouse, seconds, seed)
    finally:
        with psycopg.connect(admin_url, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE IF EXISTS {_DATABASE} WITH (FORCE)")


def _fuzz(admin: psycopg.Connection[dict[str, Any]], warehouse: Warehouse, seconds: float, seed: int) -> int:
    add_snapshot(warehouse)
    admin.execute(f"ALTER DATABASE {_DATABASE} SET track_functions = 'all'")
    settings = get_settings()
    ends: Counter[str] = Counter()
    leaks: list[str] = []
    slowest = 0.0
    with Guard(warehouse, settings=settings) as guard:
        admin.execute((FIXTURES / "fuzz_canaries.sql").read_bytes())
        time.sleep(_SETTLE)
        before = _state(admin)
        texts, rng = _texts(), random.Random(seed)  # noqa: S311 - nothing secret; a seed must give the same texts
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = mutated(texts, rng=rng)
            started = time.monotonic()
            outcome, rows = _outcome(guard, text)
            slowest = max(slowest, time.monotonic() - started)
            ends[outcome] += 1
            if CANARY in repr(rows):
                leaks.append(text)
    time.sleep(_SETTLE)
    after = _state(admin)
    changed = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    typer.echo(f"seed {seed}: {ends.total():,} inputs; slowest {slowest:.2f} s at a limit of {LIMITS.timeout_s} s")
    for name, count in ends.most_common():
        typer.echo(f"  {name:<34}{count:>8,}")
    typer.echo(f"canaries in results: {len(leaks)}; counters of the database that moved: {changed or 0}")
    for text in leaks[:5]:
        typer.echo(f"LEAK {text!r}")
    return 1 if leaks or changed else 0


def _outcome(guard: Guard, text: str) -> tuple[str, object]:
    try:
        return "passed", guard.execute(text, schema=SCHEMA, caller=CALLER, limits=LIMITS).rows
    except GuardRefusal as error:
        return f"refused, {error.rule}", None
    except QueryTimeout:
        return "timed out", None
    except QueryFailed as error:
        return "failed in PostgreSQL", str(error)


def _texts() -> list[str]:
    attacks = yaml.safe_load((FIXTURES / "attacks.yaml").read_text())
    benign = (FIXTURES / "benign.sql").read_text().splitlines()
    return [text for text in (*(attack["sql"] for attack in attacks), *benign) if len(text) < 2_000]


def _state(admin: psycopg.Connection[dict[str, Any]]) -> dict[str, Any]:
    admin.execute("SELECT pg_stat_force_next_flush()")
    state = admin.execute((FIXTURES / "fuzz_state.sql").read_bytes()).fetchone()
    assert state is not None
    return state


def add_snapshot(warehouse: Warehouse) -> None:
    """Make the small snapshot of the tests."""
    with warehouse.owner() as conn:
        conn.execute(f"CREATE SCHEMA {SCHEMA}")
        conn.execute(table_ddl(SCHEMA))
        conn.execute(f"SET LOCAL search_path = {SCHEMA}")
        conn.execute((FIXTURES / "snapshot.sql").read_bytes())
        conn.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO crime_reader")
        conn.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO crime_reader")


if __name__ == "__main__":
    typer.run(main)
