"""TCP ports of the local stack, on the loopback address."""

from include.errors import UsageError
from include.warehouse import find_free_port, is_free

LOOPBACK = "127.0.0.1"


def choose_port(configured: int, *, preferred: int, setting: str) -> int:
    """Return the configured port, or `preferred` if it is free, or any free one.

    Raises:
        UsageError: the configured port is in use.
    """
    if configured:
        if not is_free(configured):
            raise UsageError(
                f"port {configured} is in use", expected="a free port", action=f"set {setting} to another port"
            )
        return configured
    return preferred if preferred and is_free(preferred) else find_free_port()
