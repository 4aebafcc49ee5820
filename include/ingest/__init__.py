"""Ingestion: plan, land, merge, reconcile, build, check, publish; one module a stage."""

from include.ingest.begin import begin_run, finish_run
from include.ingest.build import run_build
from include.ingest.build_result import BuildResult, LedgerEntry, store_ledger
from include.ingest.build_tables import vacuum_snapshot
from include.ingest.chain import landed_source
from include.ingest.check import check_run
from include.ingest.errors import GateHeldError, GateRefusedError
from include.ingest.land import land_range
from include.ingest.merge import merge_run
from include.ingest.plan import plan_run
from include.ingest.publish import publish_run
from include.ingest.reconcile import reconcile_run
from include.ingest.request import IngestRequest, IngestResult, Mode, request_from_params
from include.ingest.run import run_ingest
from include.ingest.snapshot import build_run
from include.ingest.upkeep import run_freshness_check, run_landing_retention, run_snapshot_retention
from include.ingest.variant import ensure_variants

__all__ = [
    "BuildResult",
    "GateHeldError",
    "GateRefusedError",
    "IngestRequest",
    "IngestResult",
    "LedgerEntry",
    "Mode",
    "begin_run",
    "build_run",
    "check_run",
    "ensure_variants",
    "finish_run",
    "land_range",
    "landed_source",
    "merge_run",
    "plan_run",
    "publish_run",
    "reconcile_run",
    "request_from_params",
    "run_build",
    "run_freshness_check",
    "run_ingest",
    "run_landing_retention",
    "run_snapshot_retention",
    "store_ledger",
    "vacuum_snapshot",
]
