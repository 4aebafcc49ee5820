"""The typed intent of a question: what is measured, over which incidents, by what, compared how, in which order."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from agent.semantic.predicates import EVERYTHING, Operator, Predicate

AggregateName: TypeAlias = Literal["avg", "median", "max", "min", "sum", "stddev"]


@dataclass(frozen=True)
class Lookup:
    """A table that names the codes of a column."""

    table: str
    key: str
    name: str


@dataclass(frozen=True)
class Dimension:
    """Something incidents are grouped by.

    Attributes:
        name: its name in the model, also the output column's.
        column: the column, or the one its expression reads.
        expression: None for the column itself, else `date`, `year_month`, `year_quarter`, `week`.
        lookup: the table that names its codes.
        named: whether the answer shows the name (a join) rather than the code.
        coded: whether the answer shows the code beside the name.
        order: natural order of its values when it is not the alphabet: "time" for grains, "" otherwise.
    """

    name: str
    column: str
    expression: str | None = None
    lookup: Lookup | None = None
    named: bool = False
    coded: bool = False
    order: str = ""


@dataclass(frozen=True)
class Count:
    """Number of incidents that meet a condition."""

    where: Predicate = EVERYTHING


@dataclass(frozen=True)
class CountDistinct:
    """Number of different values of a dimension among the incidents that meet a condition."""

    dimension: Dimension
    where: Predicate = EVERYTHING


@dataclass(frozen=True)
class Share:
    """Incidents that meet `part` among those that meet `whole`; percent, or a fraction of 1."""

    part: Predicate
    whole: Predicate = EVERYTHING
    percent: bool = True


@dataclass(frozen=True)
class Aggregate:
    """A statistic of a numeric or date column."""

    function: AggregateName
    column: str
    where: Predicate = EVERYTHING


@dataclass(frozen=True)
class Binary:
    """Two measures set against each other.

    `-` difference, `/` ratio, `%` percent change from right to left, `%-` the same as a loss.
    """

    operator: Literal["-", "/", "%", "%-"]
    left: "Measure"
    right: "Measure"


@dataclass(frozen=True)
class Nest:
    """A statistic of a measure over the groups of some dimensions ("average per day")."""

    function: AggregateName
    inner: "Measure"
    over: tuple[Dimension, ...]


@dataclass(frozen=True)
class Window:
    """A measure seen along the other rows of the answer.

    `total_share`: percent of the sum over all rows (or over the rows of the outer dimension when `within` is set);
    `running`: cumulative sum; `previous`: the row before; `change`: minus the row before; `change_percent`: the same in
    percent; both as a loss when ascending; `rank`: position, 1 = highest (or lowest when ascending); `moving`: mean
    over `size` rows.
    """

    kind: Literal["total_share", "running", "running_share", "previous", "change", "change_percent", "rank", "moving"]
    inner: "Measure"
    within: tuple[Dimension, ...] = ()
    size: int = 0
    ascending: bool = False


@dataclass(frozen=True)
class Overall:
    """A measure over all incidents of the question, whatever the group."""

    inner: "Measure"


Measure: TypeAlias = Count | CountDistinct | Share | Aggregate | Binary | Nest | Window | Overall


@dataclass(frozen=True)
class Reference:
    """What a group's measure is compared with, when not a number.

    `groups`: a statistic of the measure over all groups; `overall`: the measure over all incidents of the question;
    `value`: the measure of one named group; `measure`: another measure of the same group; `universal`: as many
    as there are.
    """

    kind: Literal["groups", "overall", "value", "measure", "universal"]
    function: AggregateName = "avg"
    value: Predicate | None = None
    measure: Measure | None = None
    factor: float = 1.0


@dataclass(frozen=True)
class Having:
    """A condition on a group's measure."""

    measure: Measure
    operator: Operator
    value: float | Reference
    upper: float | None = None


@dataclass(frozen=True)
class Order:
    """What rows are sorted by: a measure, or a dimension."""

    key: Measure | Dimension
    descending: bool = True


@dataclass(frozen=True)
class Summary:
    """Groups and their measures: the commonest intent.

    Attributes:
        where: which incidents.
        groups: output dimensions, outermost first; none = one row.
        measures: what is shown of each group; none = only which groups there are.
        having: conditions on groups.
        order: sort keys.
        limit: how many rows.
        per: dimensions within which `limit` applies ("top 3 types in each district").
        nth: only the row at this position of the order.
        count_groups: return how many groups there are instead of the groups.
        top_share: return the percent of all that the first groups make up together.
    """

    where: Predicate = EVERYTHING
    groups: tuple[Dimension, ...] = ()
    measures: tuple[Measure, ...] = ()
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    per: tuple[Dimension, ...] = ()
    nth: int | None = None
    count_groups: bool = False
    top_share: bool = False


@dataclass(frozen=True)
class Rows:
    """Incidents themselves: some of their columns, in an order."""

    columns: tuple[Dimension, ...]
    where: Predicate = EVERYTHING
    order: tuple[tuple[str, bool], ...] = ()
    limit: int | None = None
    distinct: bool = False


@dataclass(frozen=True)
class LookupRows:
    """Rows of a lookup table; `where` reads its columns; `only` limits the shown columns to the code or the name."""

    lookup: Lookup
    columns: tuple[str, ...]
    where: Predicate = EVERYTHING
    count: bool = False
    unused: Dimension | None = None


Intent: TypeAlias = Summary | Rows | LookupRows


@dataclass(frozen=True)
class Interpretation:
    """What a question was understood as.

    Attributes:
        sql: the query; None when the question is refused.
        understood: the reading in words.
        ignored: words of the question that were set aside as carrying no meaning here.
        refusal: why there is no query; None otherwise.
        intent: the typed intent behind the query.
        rules: names of the composition rules that took part.
    """

    sql: str | None
    understood: str
    ignored: tuple[str, ...] = ()
    refusal: str | None = None
    intent: Intent | None = None
    rules: tuple[str, ...] = field(default=())
