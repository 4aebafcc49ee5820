"""Ingestion: plan, land, merge, reconcile, build, check, publish; one module a stage."""

from include.ingest.request import IngestRequest, IngestResult, Mode

__all__ = ["IngestRequest", "IngestResult", "Mode"]
