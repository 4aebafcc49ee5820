"""Ports of the loopback interface."""

import secrets
import socket

HOST = "127.0.0.1"
_PORTS = range(15_000, 25_000)
"""Below the range the kernel gives to outgoing connections, so that the port is still free at the next start."""


def find_free_port() -> int:
    """Return a loopback port that nobody listens on."""
    for _ in range(50):
        port = secrets.choice(_PORTS)
        if is_free(port):
            return port
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Say whether a server could listen on that loopback port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def answers(port: int) -> bool:
    """Say whether somebody listens on that loopback port."""
    try:
        with socket.create_connection((HOST, port), timeout=5):
            return True
    except OSError:
        return False
