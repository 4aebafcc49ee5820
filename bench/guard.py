"""What the guard costs: every benign query through it and directly, in turns: `python -m bench.guard --repeats 3`."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from agent.guard import Guard, Limits
from bench.fuzz_guard import CALLER, FIXTURES, SCHEMA, add_snapshot
from include.settings import get_settings
from include.warehouse import EmbeddedServer, Passwords, Warehouse, run_bootstrap

GOAL_MS = 10.0
LIMITS = Limits(max_rows=200_000, max_bytes=64 * 2**20, timeout_s=30.0, max_plan_cost=5e7)


def main(repeats: Annotated[int, typer.Option(min=1, help="Rounds over all queries.")] = 3) -> None:
    """Print medians, the ratio and the median overhead; end with 1 when it is over the goal."""
    with tempfile.TemporaryDirectory(prefix="crime-bench-") as folder:
        Path(folder).chmod(0o755)
        server = EmbeddedServer(Path(folder))
        try:
            url = server.start().admin_url
            warehouse = run_bootstrap(
                url, database="guard_bench", passwords=Passwords("owner-f", "reader-f", "analyst-f")
            )
            overhead = _measure(warehouse, repeats)
        finally:
            server.destroy()
    raise typer.Exit(1 if overhead > GOAL_MS else 0)


def _measure(warehouse: Warehouse, repeats: int) -> float:
    add_snapshot(warehouse)
    queries = (FIXTURES / "benign.sql").read_text().splitlines()
    guarded: list[float] = []
    direct: list[float] = []
    with Guard(warehouse, settings=get_settings()) as guard, warehouse.reader(autocommit=True) as conn:
        conn.execute(f"SET search_path = {SCHEMA}")
        for query in queries * repeats:
            plain = query.replace('"public".', "").replace("public.", "").encode()
            started = time.perf_counter()
            guard.execute(query, schema=SCHEMA, caller=CALLER, limits=LIMITS)
            between = time.perf_counter()
            conn.execute(plain).fetchall()
            guarded.append((between - started) * 1000)
            direct.append((time.perf_counter() - between) * 1000)
    differences = sorted(one - other for one, other in zip(guarded, direct, strict=True))
    overhead = statistics.median(differences)
    typer.echo(f"{len(queries)} queries, {repeats} rounds, in turns")
    typer.echo(f"through the guard  {statistics.median(guarded):8.2f} ms median")
    typer.echo(f"directly           {statistics.median(direct):8.2f} ms median")
    typer.echo(f"ratio              {statistics.median(guarded) / statistics.median(direct):8.2f}")
    typer.echo(
        f"overhead           {overhead:8.2f} ms median, {differences[int(len(differences) * 0.95)]:.2f} ms at 95 %"
    )
    return overhead


if __name__ == "__main__":
    typer.run(main)
