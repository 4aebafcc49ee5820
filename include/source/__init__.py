"""The source: a SODA end point, real or simulated, and what may go wrong with it."""

from include.source.spec import SourceKind, SourceSpec, check_url

__all__ = ["SourceKind", "SourceSpec", "check_url"]
