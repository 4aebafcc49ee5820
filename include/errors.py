"""The one exception tree of the platform.

`TransientError` is worth a retry, `TerminalError` is not. Every message says what was seen, what was expected and what
to do. Packages subclass these for their own kinds; nothing else is raised on purpose.
"""

from typing import ClassVar

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3


class PlatformError(Exception):
    """A failure with what was seen, what was expected and what to do.

    Attributes:
        exit_code: the exit code of the `crime` command for this kind.
        seen: what was observed.
        expected: what should have been observed; may be empty.
        action: what the reader can do about it; may be empty.
    """

    exit_code: ClassVar[int] = EXIT_FAILED

    def __init__(self, seen: str, *, expected: str = "", action: str = "") -> None:
        self.seen = seen
        self.expected = expected
        self.action = action
        super().__init__(seen, expected, action)

    def __str__(self) -> str:
        parts = [self.seen.rstrip(".")]
        if self.expected:
            parts.append(f"expected: {self.expected.rstrip('.')}")
        if self.action:
            parts.append(f"to do: {self.action.rstrip('.')}")
        return "; ".join(parts)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.seen, self.expected, self.action)


class TransientError(PlatformError):
    """Passes by itself: a time-out, a throttled request, a server restart. Retry."""


class TerminalError(PlatformError):
    """Does not pass by itself: drift, authentication, bad input. Stop."""


class UsageError(TerminalError):
    """The caller asked for something that does not exist or makes no sense."""

    exit_code = EXIT_USAGE


class RefusedError(TerminalError):
    """A check or gate said no: nothing was published or run."""

    exit_code = EXIT_REFUSED


def _rebuild(kind: type[PlatformError], seen: str, expected: str, action: str) -> PlatformError:
    error = kind.__new__(kind)
    PlatformError.__init__(error, seen, expected=expected, action=action)
    return error
