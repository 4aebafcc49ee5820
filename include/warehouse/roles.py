"""The three roles of the warehouse, their passwords and URLs."""

from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit, urlunsplit

from include.warehouse.connection import Warehouse

OWNER, READER, ANALYST = "crime_owner", "crime_reader", "crime_analyst"


@dataclass(frozen=True)
class Passwords:
    """One password a role."""

    owner: str = field(repr=False)
    reader: str = field(repr=False)
    analyst: str = field(repr=False)

    def warehouse(self, admin_url: str, *, database: str) -> Warehouse:
        """Return the warehouse of these passwords on the server of `admin_url`."""
        return Warehouse(
            owner_url=with_login(admin_url, user=OWNER, password=self.owner, database=database),
            reader_url=with_login(admin_url, user=READER, password=self.reader, database=database),
            analyst_url=with_login(admin_url, user=ANALYST, password=self.analyst, database=database),
        )


def with_login(url: str, *, user: str | None = None, password: str | None = None, database: str | None = None) -> str:
    """Return the URL with another user, password or database."""
    parts = urlsplit(url)
    login, _, place = parts.netloc.rpartition("@")
    if user is not None:
        login = f"{quote(user, safe='')}:{quote(password or '', safe='')}"
    path = parts.path if database is None else f"/{quote(database, safe='')}"
    return urlunsplit(parts._replace(netloc=f"{login}@{place}" if login else place, path=path))
