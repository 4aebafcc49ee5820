"""Server settings of the embedded PostgreSQL, sized by the machine's memory."""

from pathlib import Path

import psutil

MB = 2**20


def plan_configuration(*, port: int, memory: int, shared_memory: int | None) -> str:
    """Return the text of the configuration file.

    Args:
        port: TCP port on the loopback interface.
        memory: bytes this machine or container may use.
        shared_memory: size of /dev/shm in bytes, None where there is none. A container's 64 MB is too little for
            parallel queries, which then use files.
    """
    settings = {
        "listen_addresses": "'127.0.0.1'",
        "port": port,
        "unix_socket_directories": "''",
        "max_connections": 200,
        "password_encryption": "'scram-sha-256'",
        "shared_buffers": _megabytes(memory // 8, least=32, most=512),
        "effective_cache_size": _megabytes(memory // 2, least=64, most=16_384),
        "work_mem": _megabytes(memory // 256, least=4, most=32),
        "maintenance_work_mem": _megabytes(memory // 16, least=32, most=256),
        "max_wal_size": "'4GB'",
        "checkpoint_timeout": "'15min'",
        "checkpoint_completion_target": 0.9,
        # Without a replica, a table filled in the transaction that made it needs no log of its rows.
        "wal_level": "minimal",
        "max_wal_senders": 0,
        "wal_compression": "on",
        "random_page_cost": 1.1,
        "jit": "off",
        "timezone": "'UTC'",
        "log_timezone": "'UTC'",
        "lc_messages": "'C'",
        "log_line_prefix": "'%m [%p] %q%u@%d '",
        "log_checkpoints": "off",
    }
    if shared_memory is not None and shared_memory < 256 * MB:
        settings["dynamic_shared_memory_type"] = "mmap"
    return "".join(f"{name} = {value}\n" for name, value in settings.items())


def usable_memory() -> int:
    """Return the bytes of memory this process may use: the machine's, or less in a container."""
    total = psutil.virtual_memory().total
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            total = min(total, int(Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return total


def _megabytes(size: int, *, least: int, most: int) -> str:
    return f"'{max(least, min(most, size // MB))}MB'"
