"""What the embedded server keeps beside its data: port, place and passwords, in one file of mode 0600."""

import json
import os
import secrets
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path

from include.warehouse.account import give_to_owner_of_parent
from include.warehouse.errors import ServerSetupError

ADMIN = "postgres"


@dataclass(frozen=True)
class ServerState:
    """The content of the file.

    Attributes:
        server_id: made at the first start.
        port: the TCP port, kept between starts; 0 before the first.
        place: directory of data and log, when it is not the one of this file.
        version: of the server that ran last.
        passwords: by role.
    """

    server_id: str
    port: int = 0
    place: str | None = None
    version: str = ""
    passwords: dict[str, str] = field(default_factory=dict, repr=False)

    def with_password(self, role: str) -> "ServerState":
        """Return the state with a password for that role, a new random one unless it has one."""
        if role in self.passwords:
            return self
        return replace(self, passwords=self.passwords | {role: secrets.token_urlsafe(24)})


def new_state() -> ServerState:
    """Return the state of a server that never ran."""
    return ServerState(server_id=uuid.uuid4().hex[:12])


def read_state(path: Path) -> ServerState | None:
    """Return the stored state, none when there is no file.

    Raises:
        ServerSetupError: when it cannot be read or is damaged.
    """
    try:
        return ServerState(**json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise ServerSetupError(
            f"{path} cannot be read: {error.strerror}",
            action="run as the user who started the server first, or set CRIME_HOME to a directory of your own",
        ) from error
    except (ValueError, TypeError) as error:
        raise ServerSetupError(
            f"{path} is damaged: {error}", action=f"restore it, or move {path.parent} away and start anew"
        ) from error


def write_state(path: Path, state: ServerState) -> None:
    """Replace the file in one step; only its user may read it."""
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(state.__dict__, stream, indent=2)
        stream.flush()
        os.fsync(stream.fileno())
    give_to_owner_of_parent(draft)
    draft.replace(path)
