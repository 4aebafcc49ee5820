"""The kinds of thing the data set is defined with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: as stored; upper case in the fact table, lower case in the lookups.
        pg_type: its PostgreSQL type.
        description: one sentence for people, models and the column's COMMENT.
        source: the source field it is made of; None when it is made of other columns.
        null_rule: what fills a missing value; None when it stays null.
        derived: whether it is computed from other columns.
        nullable: whether a null can be left after the null rules.
        values: every value it can hold, when they are few and fixed.
        references: "table(column)" of the lookup it points to.
        prompt_note: what a writer of SQL must know beyond the description.
    """

    name: str
    pg_type: str
    description: str
    source: str | None = None
    null_rule: str | None = None
    derived: bool = False
    nullable: bool = True
    values: tuple[str, ...] = ()
    references: str | None = None
    prompt_note: str = ""

    @property
    def quoted(self) -> str:
        """The name as SQL must write it."""
        return self.name if self.name.islower() else f'"{self.name}"'


@dataclass(frozen=True)
class Table:
    """One table of a snapshot. `key` is its primary key column."""

    name: str
    description: str
    key: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Lookup(Table):
    """A table of names. `label` names a code without a row of its own, `fact_column` points here from the facts."""

    label: str
    fact_column: str
    rows: tuple[tuple[int, str], ...]

    @property
    def name_column(self) -> str:
        """The column that holds the name."""
        return self.columns[1].name

    def placeholder(self, code: int) -> str:
        """Return the name of a code that the lookup does not list."""
        return f"{self.label} {code} (unlisted)"


@dataclass(frozen=True)
class SourceField:
    """One field requested from the source.

    Attributes:
        name: its name in the API.
        label: its header in the portal's CSV export; empty for a system field.
        soda_type: its type in the data set's metadata.
        header_type: its type in the API's `X-SODA2-Types` header.
        raw_name: its column in `raw.crime`.
        raw_type: the PostgreSQL type of that column.
    """

    name: str
    label: str
    soda_type: str
    header_type: str
    raw_name: str
    raw_type: str


@dataclass(frozen=True)
class NullRule:
    """One way a missing cell is filled. `rule` is its name in the ledger."""

    columns: tuple[str, ...]
    rule: str
    description: str
