"""The choice of PostgreSQL's programs for one data directory and one account."""

import shutil
from dataclasses import replace
from pathlib import Path

from include.warehouse.account import Account
from include.warehouse.binaries import Binaries, find_binaries
from include.warehouse.cluster import read_major
from include.warehouse.errors import ServerSetupError


def choose_binaries(data_dir: Path, *, account: Account, preferred: Binaries | None) -> Binaries:
    """Return programs that fit the data directory, as far as there is one, and that the account can run.

    Raises:
        ServerSetupError: when there are none.
    """
    major = read_major(data_dir)
    fits = preferred is not None and major in (None, preferred.major)
    binaries = preferred if preferred is not None and fits else _matching_binaries(data_dir, major=major)
    return _reachable_binaries(binaries, place=data_dir.parent, account=account)


def _matching_binaries(data_dir: Path, *, major: int | None) -> Binaries:
    """Return installed binaries of that major version, any supported one when it is None.

    Raises:
        ServerSetupError: when a data directory exists for whose version there are none.
    """
    try:
        return find_binaries(major=major)
    except ServerSetupError:
        if major is None:
            raise
    here = find_binaries()
    raise ServerSetupError(
        f"the data directory {data_dir} was made by PostgreSQL {major}, installed here is {here.version}",
        expected="the same major version: PostgreSQL cannot read another one's files",
        action=f"install PostgreSQL {major} beside it, which is then used; or move {data_dir.parent} away, "
        "run `crime up` and load the rows again",
    )


def _reachable_binaries(binaries: Binaries, *, place: Path, account: Account) -> Binaries:
    """Return binaries that the account can run: the given ones, else a copy of the package's in `place`."""
    if _runs(binaries, account):
        return binaries
    target = place / f"postgresql-{binaries.version}"
    package = binaries.prefix.parent
    copied = replace(binaries, bin_dir=target / package.name / binaries.prefix.name / "bin")
    if binaries.packaged and not target.exists():
        _copy_package(package, target)
    if not _runs(copied, account):
        raise ServerSetupError(
            f"the account {account.name} cannot run {binaries.bin_dir}/postgres",
            action="make that path accessible to it, or run as an ordinary user",
        )
    return copied


def _copy_package(package: Path, target: Path) -> None:
    draft = target.with_name(target.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    # The programs find their libraries by the path of the wheel's second directory, relative to their own.
    for source in (package, package.with_name(package.name + ".libs")):
        if source.is_dir():
            skipped = shutil.ignore_patterns("include", "__pycache__", "doc")
            shutil.copytree(source, draft / source.name, symlinks=True, ignore=skipped)
    for path in (draft, *draft.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode | (0o055 if mode & 0o100 else 0o044))
    draft.rename(target)


def _runs(binaries: Binaries, account: Account) -> bool:
    try:
        return all(
            account.run([binaries.bin_dir / name, "--version"], timeout=60).returncode == 0
            for name in ("postgres", "initdb", "pg_ctl")
        )
    except OSError:
        return False
