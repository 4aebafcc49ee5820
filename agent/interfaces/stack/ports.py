"""TCP ports of the local stack, on the loopback address."""

import socket

from include.errors import UsageError

LOOPBACK = "127.0.0.1"


def choose_port(configured: int, *, preferred: int, setting: str) -> int:
    """Return the configured port, or `preferred` if it is free, or any free one.

    Raises:
        UsageError: the configured port is in use.
    """
    if configured:
        if not _is_free(configured):
            raise UsageError(
                f"port {configured} is in use", expected="a free port", action=f"set {setting} to another port"
            )
        return configured
    return preferred if preferred and _is_free(preferred) else _any_free()


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _any_free() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
