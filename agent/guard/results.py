"""What goes into and comes out of the guard."""

from dataclasses import dataclass

from include.settings import Settings


@dataclass(frozen=True)
class Caller:
    """Who sends a statement; goes into the audit.

    Attributes:
        interface: `cli`, `web`, `mcp`, `bench`, ...
        node: the step of the agent, such as `run`, `validate`, `probe`, `gold`.
        question: the question behind the statement, where there is one.
        name: the person or client, where known.
    """

    interface: str
    node: str
    question: str | None = None
    name: str = ""


@dataclass(frozen=True)
class Limits:
    """Limits of one execution.

    Attributes:
        max_rows: rows returned at most; a longer result is cut and marked `truncated`.
        max_bytes: bytes of values returned at most, likewise.
        timeout_s: seconds for the whole execution.
        max_plan_cost: ceiling on the planner's total cost estimate.
    """

    max_rows: int
    max_bytes: int
    timeout_s: float
    max_plan_cost: float

    @classmethod
    def for_ask(cls, settings: Settings) -> "Limits":
        """Return the limits of a question asked by a person."""
        return cls(settings.ask_max_rows, settings.max_result_bytes, settings.statement_timeout, settings.max_plan_cost)

    @classmethod
    def for_bench(cls, settings: Settings) -> "Limits":
        """Return the limits of the benchmark, where a truncated result is never correct."""
        return cls(
            settings.bench_max_rows, settings.max_result_bytes, settings.statement_timeout, settings.max_plan_cost
        )


@dataclass(frozen=True)
class QueryResult:
    """The typed result of one statement.

    Attributes:
        columns: column names, duplicates kept.
        types: PostgreSQL's type name of each column, such as `int8`, `numeric`, `text`, `_text` (an array).
        rows: rows as Python values.
        row_count: number of rows returned.
        truncated: whether the statement has more rows than returned.
        ms: milliseconds for everything: checks, waiting for a connection, plan, rows.
        sql_run: the text that ran.
        snapshot_id: the schema it ran on.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    row_count: int
    truncated: bool
    ms: float
    sql_run: str
    snapshot_id: str


@dataclass(frozen=True)
class Explanation:
    """A statement that PostgreSQL can plan.

    Attributes:
        sql_run: the text that was explained.
        cost: the planner's estimate of the total cost.
        relations: tables of the snapshot that the plan reads.
    """

    sql_run: str
    cost: float
    relations: tuple[str, ...]
