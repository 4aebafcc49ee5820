"""Ingestion: plan, land, merge, reconcile, build, check, publish; one module a stage."""

from include.ingest.build import run_build
from include.ingest.build_result import BuildResult, LedgerEntry, store_ledger
from include.ingest.request import IngestRequest, IngestResult, Mode

__all__ = ["BuildResult", "IngestRequest", "IngestResult", "LedgerEntry", "Mode", "run_build", "store_ledger"]
