"""Which commit the code is of."""

import subprocess

from include.settings import PROJECT_ROOT, Settings


def git_sha(settings: Settings) -> str | None:
    """Return the commit of the settings, else of the checkout (`-dirty` with uncommitted changes), else None."""
    if settings.git_sha:
        return settings.git_sha
    if not (PROJECT_ROOT / ".git").exists():
        return None
    describe = ["git", "-C", str(PROJECT_ROOT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(describe, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None
