"""Snapshots in an open format."""

from include.export.snapshot import MANIFEST, ExportResult, run_export

__all__ = ["MANIFEST", "ExportResult", "run_export"]
