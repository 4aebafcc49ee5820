"""The Great Expectations suite of a snapshot, generated from the data set definition and run as SQL aggregates."""

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL

from include.dataset import COLUMNS, FACT, LOOKUPS
from include.errors import TerminalError
from include.quality.results import QualityResult
from include.warehouse import WarehouseDownError, address

RANGES: Mapping[str, tuple[float, float]] = {
    "MONTH": (1, 12),
    "DAY": (1, 31),
    "HOUR": (0, 23),
    "QUARTER": (1, 4),
    "YEAR": (2001, 2100),
    "COMMUNITY_AREA": (1, 77),
    "LATITUDE": (41.6, 42.1),
    "LONGITUDE": (-88.0, -87.4),
}
"""Columns whose values lie in a range: parts of a date, and the envelope of the city's coordinates."""
WARNINGS = frozenset({"COMMUNITY_AREA", "LATITUDE", "LONGITUDE"})
"""A value out of range here is odd but real: it is told, and stops nothing."""


@dataclass(frozen=True)
class Expectation:
    """One expectation by its class name in Great Expectations, with its arguments and its severity."""

    table: str
    kind: str
    arguments: Mapping[str, Any]
    severity: Literal["critical", "warning"]

    @property
    def name(self) -> str:
        """Unique name: table, column and kind."""
        return ".".join(filter(None, (self.table, self.arguments.get("column", ""), self.kind)))


def plan_suite() -> tuple[Expectation, ...]:
    """Return the expectations the data set definition gives."""
    return (*_fact_expectations(), *_lookup_expectations())


def run_suite(owner_url: str, snapshot_id: str) -> list[QualityResult]:
    """Run the suite on a snapshot and return the verdicts.

    Args:
        owner_url: connection string of a role that reads the snapshot.
        snapshot_id: the snapshot's schema.

    Raises:
        WarehouseDownError: the server went away.
        TerminalError: an expectation could not be evaluated at all.
    """
    # Set before the import, which reads it; its chatter about its own API is no news to anybody here.
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    logging.getLogger("great_expectations").setLevel(logging.WARNING)
    import great_expectations as gx
    from great_expectations.datasource.fluent.interfaces import TestConnectionError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        return _validate(gx, owner_url, snapshot_id)
    except (TestConnectionError, SQLAlchemyError) as error:
        # The library wraps what the driver said; of its own faults only a lost connection reaches this far.
        raise WarehouseDownError(
            f"the warehouse at {address(owner_url)} was lost during the quality suite: {type(error).__name__}",
            action="start it with `crime up`, then run the command again",
        ) from error


def _validate(gx: Any, owner_url: str, snapshot_id: str) -> list[QualityResult]:
    from great_expectations import expectations

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_postgres("warehouse", connection_string=_sqlalchemy_url(owner_url, snapshot_id))
    results: list[QualityResult] = []
    planned = plan_suite()
    for table in dict.fromkeys(expectation.table for expectation in planned):
        asset = source.add_table_asset(table, table_name=table)
        batch = asset.add_batch_definition_whole_table("all").get_batch()
        chosen = [expectation for expectation in planned if expectation.table == table]
        suite = gx.ExpectationSuite(
            name=table, expectations=[getattr(expectations, e.kind)(**e.arguments) for e in chosen]
        )
        # BASIC gives counts, and a handful of the values that failed; no rows are pulled.
        outcome = batch.validate(suite, result_format="BASIC")
        results += [_read(e, found) for e, found in zip(chosen, outcome.results, strict=True)]
    return results


def _sqlalchemy_url(owner_url: str, schema: str) -> str:
    parts = conninfo_to_dict(owner_url)
    return URL.create(
        "postgresql+psycopg",
        username=str(parts["user"]),
        password=str(parts.get("password", "")),
        host=str(parts["host"]),
        port=int(parts.get("port") or 5432),
        database=str(parts["dbname"]),
        query={"options": f"-csearch_path={schema}"},
    ).render_as_string(hide_password=False)


def _fact_expectations() -> Iterator[Expectation]:
    def of_column(column: str, kind: str, **arguments: Any) -> Expectation:
        severity: Literal["critical", "warning"] = "warning" if column in WARNINGS else "critical"
        return Expectation(FACT.name, kind, {"column": column, **arguments}, severity)

    yield Expectation(
        FACT.name,
        "ExpectTableColumnsToMatchOrderedList",
        {"column_list": [column.name for column in COLUMNS]},
        "critical",
    )
    yield Expectation(FACT.name, "ExpectTableRowCountToBeBetween", {"min_value": 1}, "critical")
    for column in COLUMNS:
        if not column.nullable:
            yield of_column(column.name, "ExpectColumnValuesToNotBeNull")
        if column.values:
            yield of_column(column.name, "ExpectColumnValuesToBeInSet", value_set=list(column.values))
        if column.name in RANGES:
            low, high = RANGES[column.name]
            yield of_column(column.name, "ExpectColumnValuesToBeBetween", min_value=low, max_value=high)


def _lookup_expectations() -> Iterator[Expectation]:
    for lookup in LOOKUPS:
        yield Expectation(lookup.name, "ExpectTableRowCountToBeBetween", {"min_value": len(lookup.rows)}, "critical")
        yield Expectation(lookup.name, "ExpectColumnValuesToNotBeNull", {"column": lookup.name_column}, "critical")


def _read(expectation: Expectation, found: Any) -> QualityResult:
    if found.exception_info.get("raised_exception") is True:
        raise TerminalError(f"{expectation.name} could not be evaluated: {found.exception_info}")
    return QualityResult(
        kind="expectation",
        name=expectation.name,
        severity=expectation.severity,
        passed=bool(found.success),
        seen=_seen(found.result),
        expected=_expected(expectation.arguments),
        action="" if found.success else f"look at the rows: crime sql on {expectation.table}, or the null-rule ledger",
    )


def _seen(result: Mapping[str, Any]) -> str:
    if "observed_value" in result:
        observed = result["observed_value"]
        return f"{len(observed)} columns" if isinstance(observed, list) else f"{observed:,} rows"
    wrong = result.get("unexpected_count", 0)
    values = sorted({str(value) for value in result.get("partial_unexpected_list", ())})
    return f"{wrong:,} of {result.get('element_count', 0):,} rows" + (
        f", for example {', '.join(values[:5])}" if wrong and values else ""
    )


def _expected(arguments: Mapping[str, Any]) -> str:
    if "column_list" in arguments:
        return f"the {len(arguments['column_list'])} columns of the data set, in order"
    if "value_set" in arguments:
        return "none outside " + ", ".join(arguments["value_set"])
    if "max_value" in arguments:
        return f"none outside {arguments['min_value']} to {arguments['max_value']}"
    if "min_value" in arguments:
        return f"at least {arguments['min_value']} rows"
    return "no null"
