"""Where the files of an embedded server lie."""

from dataclasses import dataclass
from pathlib import Path

from include.warehouse.state import ServerState


@dataclass(frozen=True)
class ServerFiles:
    """Paths of one server. `base` is the directory under the platform's home, `place` that of data and log."""

    base: Path
    place: Path

    @classmethod
    def of(cls, base: Path, state: ServerState | None) -> "ServerFiles":
        """Return the paths a state tells of; without one, everything lies in `base`."""
        return cls(base=base, place=Path(state.place) if state is not None and state.place else base)

    @property
    def state_file(self) -> Path:
        """Port, place and passwords."""
        return self.base / "state.json"

    @property
    def lock_file(self) -> Path:
        """Held while a server is started or stopped."""
        return self.base / "lock"

    @property
    def data_dir(self) -> Path:
        """PostgreSQL's data directory."""
        return self.place / "data"

    @property
    def log_file(self) -> Path:
        """The server's log."""
        return self.place / "postgres.log"
