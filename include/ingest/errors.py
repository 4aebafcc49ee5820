"""Verdicts that end a run."""

from include.errors import RefusedError


class GateRefusedError(RefusedError):
    """A hard gate or a critical expectation failed: the snapshot is kept for inspection and not published."""


class GateHeldError(RefusedError):
    """The source moved while it was pulled: the snapshot is complete, but held."""
