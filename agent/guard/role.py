"""Verify that a database role can do no harm: grants are the boundary, everything above them is a second line."""

from dataclasses import dataclass

import psycopg

from agent.guard.errors import RoleRefusedError
from include.warehouse import load_sql

READABLE_SCHEMAS = "^(public|snap_.*|variant_.*)$"
"""Schemas whose tables the agent may read, as a regular expression of PostgreSQL."""


@dataclass(frozen=True)
class RoleVerdict:
    """What a role could do beyond reading.

    Attributes:
        role: its name.
        ok: whether it is harmless.
        findings: what it could do, in words; empty when harmless.
    """

    role: str
    ok: bool
    findings: tuple[str, ...]

    def require(self) -> None:
        """Refuse a role that is not harmless.

        Raises:
            RoleRefusedError: naming what the role could do.
        """
        if not self.ok:
            shown = "; ".join(self.findings[:8])
            rest = len(self.findings) - 8
            raise RoleRefusedError(
                f"the role {self.role!r} {shown}" + (f"; and {rest} more" if rest > 0 else ""),
                expected="a role that can read the snapshots and do nothing else",
                action="run the bootstrap again, or point CRIME_READER_URL at the role crime_reader",
            )


def verify_role(conn: psycopg.Connection, *, schemas: str = READABLE_SCHEMAS) -> RoleVerdict:
    """Look up in the catalogs what the connected role could do.

    Args:
        conn: a connection as that role.
        schemas: a regular expression of the schemas whose tables it may read.
    """
    findings = conn.execute(load_sql("guard/role.sql"), {"schemas": schemas}).fetchall()
    role = conn.info.user
    return RoleVerdict(role, not findings, tuple(str(row[0]) for row in findings))
