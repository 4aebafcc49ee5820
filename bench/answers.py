"""How long an answer takes without a model, and what the guard costs."""

import time
from contextlib import ExitStack

from psycopg import sql

from agent.arms import Arm
from agent.ask import ask
from agent.benchmark import load_questions
from agent.guard import Caller, Guard, Limits
from include.settings import Settings
from include.warehouse import Warehouse, published_snapshot

COUNT = 'SELECT "CRIME_TYPE", count(*) FROM crime_incidents GROUP BY 1'


def measure_answers(warehouse: Warehouse, *, settings: Settings) -> dict[str, list[float]]:
    """Ask every question of the benchmark once by the strategy `semantic`; milliseconds by kind of end."""
    found: dict[str, list[float]] = {}
    with Guard(warehouse, settings=settings) as guard:
        for question in load_questions().questions:
            asked = ask(
                question.question, arm=Arm(strategy="semantic"), warehouse=warehouse, settings=settings, guard=guard
            )
            found.setdefault(f"semantic, {asked.outcome}", []).append(asked.ms)
    return found


def measure_guard(warehouse: Warehouse, *, repeats: int, settings: Settings) -> dict[str, list[float]]:
    """Run the same query through the guard and without it, in turns; milliseconds."""
    found: dict[str, list[float]] = {"query through the guard": [], "query without the guard": []}
    caller, limits = Caller(interface="bench", node="guard"), Limits.for_ask(settings)
    with ExitStack() as stack:
        guard = stack.enter_context(Guard(warehouse, settings=settings))
        plain = stack.enter_context(warehouse.reader(autocommit=True))
        with warehouse.owner() as conn:
            snapshot = published_snapshot(conn)
        assert snapshot is not None
        plain.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(snapshot.snapshot_id)))
        for _ in range(repeats):
            started = time.perf_counter()
            guard.execute(COUNT, schema=snapshot.snapshot_id, caller=caller, limits=limits)
            between = time.perf_counter()
            plain.execute(COUNT).fetchall()
            found["query through the guard"].append((between - started) * 1000)
            found["query without the guard"].append((time.perf_counter() - between) * 1000)
    return found
