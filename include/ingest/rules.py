"""A digest of the rules that snapshots are built by."""

import hashlib
from pathlib import Path

from include.settings import PROJECT_ROOT, SQL_DIR

_FOLDERS = (SQL_DIR / "snapshot", PROJECT_ROOT / "include" / "dataset")
_KINDS = (".sql", ".py", ".csv", ".json")


def rules_digest(*more: Path) -> str:
    """Return a digest of the SQL and the data set's definition, and of the files of more folders."""
    digest = hashlib.sha256()
    for folder in (*_FOLDERS, *more):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _KINDS):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]
