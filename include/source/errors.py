"""What may go wrong with a source."""

from include.errors import RefusedError, TerminalError, TransientError


class SourceDownError(TransientError):
    """The source cannot be reached, or stopped answering."""


class SourceBusyError(TransientError):
    """The source asked to come back later: 202, 429 or 5xx.

    Attributes:
        retry_after: seconds the source asked to wait; None when it did not say.
    """

    retry_after: float | None = None


class BrokenBodyError(TransientError):
    """An answer was cut, malformed or out of order."""


class SourceRejectedError(TerminalError):
    """The source refused the request: a 4xx other than 429."""


class NotDataError(TerminalError):
    """The source answered something other than data, such as an HTML page."""


class SchemaDriftError(TerminalError):
    """A column the platform needs is missing from the source or has another type."""


class LandingError(TerminalError):
    """Pages cannot be written or read back: disk full, no permission, a damaged file."""


class SourceMixError(RefusedError):
    """`raw` holds another source."""
