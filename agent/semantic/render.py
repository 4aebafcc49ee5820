"""From a typed intent to one SELECT of PostgreSQL, built with sqlglot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from agent.semantic import fragments as sql
from agent.semantic.algebra import (
    Binary,
    Count,
    Dimension,
    Having,
    Intent,
    LookupRows,
    Measure,
    Nest,
    Order,
    Overall,
    Reference,
    Rows,
    Share,
    Summary,
    Window,
)
from agent.semantic.predicates import EVERYTHING, All, Predicate, both

GROUPED, RANKED = "grouped", "ranked"


def render(intent: Intent) -> str:
    """Return the query of an intent, readable and ready to run."""
    if isinstance(intent, Rows):
        query = _rows(intent)
    elif isinstance(intent, LookupRows):
        query = _lookup(intent)
    else:
        query = _Summary(intent).query()
    return query.sql(dialect="postgres", pretty=True)


def _rows(intent: Rows) -> exp.Select:
    keys = [sql.labelled(value) for value in intent.columns]
    query = _joined(exp.select(*keys).from_(sql.FACTS), intent.columns)
    query = _where(query, intent.where)
    keys_in_order = [(sql.column(name), descending) for name, descending in intent.order]
    if not keys_in_order:
        keys_in_order = [(sql.column("INCIDENT_DATE"), False)]
    query = query.order_by(*sql.ordered(keys_in_order), *sql.ordered([(sql.column("ID"), False)]))
    return query.limit(intent.limit) if intent.limit else query


def _lookup(intent: LookupRows) -> exp.Select:
    if intent.count:
        query = exp.select(exp.Count(this=exp.Star()).as_("names")).from_(intent.lookup.table)
    else:
        query = exp.select(*[exp.column(name) for name in intent.columns]).from_(intent.lookup.table)
        query = query.order_by(exp.column(intent.lookup.key))
    return _where(query, intent.where)


def _where(query: exp.Select, where: Predicate) -> exp.Select:
    for part in both([where]).parts:
        query = query.where(sql.condition(part))
    return query


def _joined(query: exp.Select, dimensions: Iterable[Dimension]) -> exp.Select:
    for value in dimensions:
        if value.lookup is not None and value.named:
            on = exp.EQ(this=exp.column(value.lookup.key), expression=sql.column(value.column))
            query = query.join(value.lookup.table, on=on)
    return query


@dataclass
class _Summary:
    """Renders one summary: a grouped query, wrapped where windows, rankings or averages over groups need it."""

    intent: Summary

    def query(self) -> exp.Select:
        intent = self.intent
        self.plain = list(dict.fromkeys(inner for measure in self._used() for inner in _plain_parts(measure)))
        self.names = _names(self.plain)
        self.common = _common(self.plain, intent.having)
        self.nested = next((measure for measure in self._used() if isinstance(measure, Nest)), None)
        base = self._base()
        if intent.top_share:
            return self._top_share(base)
        if intent.count_groups:
            return exp.select(exp.Count(this=exp.Star()).as_("groups")).from_(base.subquery("matching"))
        if self.nested is None and not self._wrapped():
            return self._finish(base, inside=False)
        return self._finish(self._over(base), inside=True)

    def _top_share(self, base: exp.Select) -> exp.Select:
        """The percent of all incidents that the first groups make up together."""
        value, group = self._name(self.plain[0]), sql.alias_of(self.intent.groups[0])
        descending = self.intent.order[0].descending if self.intent.order else True
        first = exp.select(value).from_(GROUPED).where(exp.column(group).is_(exp.not_(exp.Null())))
        first = first.order_by(*sql.ordered([(exp.column(value), descending)])).limit(self.intent.limit or 1)
        part = exp.select(exp.Sum(this=exp.column(value))).from_(first.subquery("first_groups")).subquery()
        whole = exp.select(exp.Sum(this=exp.column(value))).from_(GROUPED).subquery()
        share = sql.round_(exp.Div(typed=True, this=_hundred(part), expression=sql.nullif(whole)), 2)
        return exp.select(share.as_("share")).with_(GROUPED, as_=base)

    def _used(self) -> list[Measure]:
        keys = [order.key for order in self.intent.order if not isinstance(order.key, Dimension)]
        asked = [having.measure for having in self.intent.having]
        other = [h.value.measure for h in self.intent.having if isinstance(h.value, Reference) and h.value.measure]
        return list(dict.fromkeys([*self.intent.measures, *keys, *asked, *other]))

    def _wrapped(self) -> bool:
        windows = any(isinstance(measure, Window) or _is_windowed(measure) for measure in self._used())
        averages = any(isinstance(h.value, Reference) and h.value.kind == "groups" for h in self.intent.having)
        return windows or averages or bool(self.intent.per)

    def _base(self) -> exp.Select:
        """The grouped query: every plain measure of every group."""
        intent = self.intent
        groups = [*intent.groups, *(self.nested.over if self.nested else ())]
        keys = [sql.labelled(value) for value in groups]
        wrapped = self.nested is not None or self._wrapped()
        shown = self.plain if wrapped else list(intent.measures)
        measures = [self._plain(measure).as_(self._name(measure)) for measure in shown]
        query = _joined(exp.select(*keys, *measures).from_(sql.FACTS), groups)
        query = _where(query, both([intent.where, self.common]))
        for value in groups:
            if value.lookup is not None and not value.named and not intent.top_share:
                query = query.where(exp.Is(this=sql.column(value.column), expression=exp.not_(exp.Null())))
        if groups:
            query = query.group_by(*[sql.dimension(value) for value in groups])
        if not measures and not groups:
            query = query.select(exp.Count(this=exp.Star()).as_("incidents"))
        for having in intent.having:
            if not self._late(having):
                query = query.having(self._having(having, self._plain(having.measure)))
        return query

    def _late(self, having: Having) -> bool:
        """Whether a condition on groups can only be checked once all groups are known."""
        late = isinstance(having.value, Reference) and having.value.kind == "groups"
        return late or isinstance(having.measure, Nest | Window) or self._of_partition(having)

    def _of_partition(self, having: Having) -> bool:
        """Whether a threshold is about the outer groups, within which rows are ranked."""
        number = not isinstance(having.value, Reference)
        return bool(self.intent.per) and number and isinstance(having.measure, Count)

    def _plain(self, measure: Measure) -> exp.Expr:
        if isinstance(measure, Overall):
            inner = exp.select(self._plain(measure.inner)).from_(sql.FACTS)
            return _where(inner, both([self.intent.where, self.common])).subquery()
        if isinstance(measure, Binary) and isinstance(measure.right, Overall):
            return sql.binary(measure.operator, self._plain(measure.left), self._plain(measure.right))
        return sql.plain(measure, both([self.common, self.intent.where]))

    def _name(self, measure: Measure) -> str:
        return self.names[measure] if measure in self.names else sql.name_of(measure)

    def _having(self, having: Having, measured: exp.Expr) -> exp.Expr:
        if having.upper is not None:
            low, high = exp.convert(_tidy(having.value)), exp.convert(_tidy(having.upper))
            return exp.Between(this=measured, low=low, high=high)
        return sql.compare(measured, having.operator, self._bound(having))

    def _bound(self, having: Having) -> exp.Expr:
        value = having.value
        if not isinstance(value, Reference):
            return exp.convert(_tidy(value))
        if value.kind == "measure":
            assert value.measure is not None
            return self._plain(value.measure)
        if value.kind == "overall":
            return _times(self._plain(Overall(having.measure)), value.factor)
        if value.kind == "universal":
            return exp.select(sql.plain(having.measure, EVERYTHING)).from_(sql.FACTS).subquery()
        column = exp.column(self._value_name(having.measure))
        average = exp.select(sql.statistic(value.function, column, digits=None)).from_(GROUPED).subquery()
        return _times(average, value.factor)

    def _value_name(self, measure: Measure) -> str:
        return self._name(measure.inner) if isinstance(measure, Nest) else self._name(measure)

    def _over(self, base: exp.Select) -> exp.Select:
        """The query over the grouped one: statistics of groups, windows, conditions against all groups."""
        intent = self.intent
        keys: list[exp.Expr] = [exp.column(sql.alias_of(value)) for value in intent.groups]
        query = exp.select(*keys).from_(GROUPED).with_(GROUPED, as_=base)
        shown = list(intent.measures)
        if self.nested is not None:
            for measure in shown:
                query = query.select(self._nest(measure).as_(self._outer_name(measure)))
            return query.group_by(*keys) if keys else query
        for measure in shown:
            if isinstance(measure, Window):
                query = query.select(self._window(measure).as_(self._outer_name(measure)))
            elif _is_windowed(measure):
                assert isinstance(measure, Binary)
                assert isinstance(measure.left, Window)
                assert isinstance(measure.right, Window)
                made = sql.binary(measure.operator, self._window(measure.left), self._window(measure.right))
                query = query.select(made.as_(self._outer_name(measure)))
            else:
                query = query.select(exp.column(self._name(measure)))
        for having in intent.having:
            if self._late(having) and not self._of_partition(having):
                query = query.where(self._having(having, exp.column(self._name(having.measure))))
        return self._ranked(query) if intent.per else query

    def _nest(self, measure: Measure) -> exp.Expr:
        if not isinstance(measure, Nest):
            return exp.Sum(this=exp.column(self._name(measure)))
        return sql.statistic(measure.function, exp.column(self._name(measure.inner)))

    def _outer_name(self, measure: Measure) -> str:
        if isinstance(measure, Nest):
            return f"{measure.function}_{self._name(measure.inner)}"
        if isinstance(measure, Window):
            base = {"rank": "position", "total_share": "percent_of_total", "change_percent": "percent_change"}
            names = {"running": f"running_{self._name(measure.inner)}", "moving": f"moving_{self._name(measure.inner)}"}
            return {**base, **names}.get(measure.kind, measure.kind)
        return self._name(measure)

    def _window(self, window: Window) -> exp.Expr:
        value = exp.column(self._name(window.inner))
        outside = tuple(value_ for value_ in self.intent.groups if value_.order != "time")
        time = [(exp.column(sql.alias_of(group)), False) for group in self.intent.groups if group.order == "time"]
        if window.kind == "rank":
            return _over(exp.func("RANK"), window.within, [(value, not window.ascending)])
        if window.kind == "total_share":
            whole = sql.nullif(_over(exp.Sum(this=value.copy()), window.within, []))
            return sql.round_(exp.Div(typed=True, this=_hundred(value), expression=whole), 2)
        if window.kind in {"running", "running_share"}:
            keys = time or [(value.copy(), True)]
            running = _over(exp.Sum(this=value), outside if time else (), keys)
            if window.kind == "running":
                return running
            whole = sql.nullif(_over(exp.Sum(this=value.copy()), outside if time else (), []))
            return sql.round_(exp.Div(typed=True, this=_hundred(running), expression=whole), 2)
        if window.kind == "moving":
            return sql.round_(_over(exp.Avg(this=value), outside, time, preceding=window.size - 1), 2)
        before = _over(exp.Lag(this=value.copy()), outside, time)
        if window.kind == "previous":
            return before
        if window.kind == "change_percent":
            return sql.binary("%-" if window.ascending else "%", value, before)
        return sql.binary("-", before, value) if window.ascending else sql.binary("-", value, before)

    def _ranked(self, query: exp.Select) -> exp.Select:
        """Keep the first rows within each of the outer groups; tied rows are all kept."""
        intent = self.intent
        keys = [(self._order_key(order), order.descending) for order in intent.order]
        if not keys:
            keys = [(exp.column(self._outer_name(intent.measures[0])), True)]
        inner = query.select(_over(exp.func("RANK"), intent.per, keys).as_("position"))
        bounded = [having for having in intent.having if self._of_partition(having)]
        for number, having in enumerate(bounded, 1):
            total = _over(exp.Sum(this=exp.column(self._name(having.measure))), intent.per, [])
            inner = inner.select(total.as_(f"total_{number}"))
        with_ = inner.args.pop("with_", None) or inner.args.pop("with", None)
        names = [*[sql.alias_of(group) for group in intent.groups], *map(self._outer_name, intent.measures)]
        outer = exp.select(*[exp.column(name) for name in names]).from_(RANKED)
        for known in with_.expressions if with_ else ():
            outer = outer.with_(known.alias, as_=known.this)
        outer = outer.with_(RANKED, as_=inner)
        bound = exp.convert(intent.nth or intent.limit or 1)
        kept = exp.EQ if intent.nth else exp.LTE
        for number, having in enumerate(bounded, 1):
            outer = outer.where(self._having(having, exp.column(f"total_{number}")))
        return outer.where(kept(this=exp.column("position"), expression=bound))

    def _order_key(self, order: Order) -> exp.Expr:
        if isinstance(order.key, Dimension):
            return exp.column(sql.alias_of(order.key))
        return exp.column(self._outer_name(order.key))

    def _finish(self, query: exp.Select, *, inside: bool) -> exp.Select:
        """Sort and cut: by the wish, else along time, else by the first measure."""
        intent = self.intent
        if not intent.groups:
            return query
        keys = [(exp.column(sql.alias_of(group)), False) for group in intent.groups]
        if intent.per:
            outer = [(exp.column(sql.alias_of(group)), False) for group in intent.per]
            return query.order_by(*sql.ordered([*outer, (exp.column("position"), False), *keys[len(outer) :]]))
        wished = [(self._order_key(order), order.descending) for order in intent.order]
        if not wished and intent.measures and len(keys) == 1 and intent.groups[0].order != "time":
            wished = [(exp.column(self._outer_name(intent.measures[0])), True)]
        query = query.order_by(*sql.ordered([*wished, *keys]))
        if intent.nth is not None:
            return query.limit(1).offset(intent.nth - 1)
        return query.limit(intent.limit) if intent.limit is not None else query


def _times(value: exp.Expr, factor: float) -> exp.Expr:
    return value if factor == 1 else exp.Mul(this=exp.convert(factor), expression=value)


def _over(
    function: exp.Expr,
    within: Sequence[Dimension],
    order: Sequence[tuple[exp.Expr, bool]],
    *,
    preceding: int | None = None,
) -> exp.Window:
    window = exp.Window(this=function)
    if within:
        window.set("partition_by", [exp.column(sql.alias_of(value)) for value in within])
    if order:
        window.set("order", exp.Order(expressions=sql.ordered(order)))
    if preceding is not None:
        frame = exp.WindowSpec(kind="ROWS", start=str(preceding), start_side="PRECEDING", end="CURRENT ROW")
        window.set("spec", frame)
    return window


def _hundred(value: exp.Expr) -> exp.Expr:
    return exp.Mul(this=exp.Literal.number("100.0"), expression=value)


def _is_windowed(measure: Measure) -> bool:
    return isinstance(measure, Binary) and isinstance(measure.left, Window)


def _plain_parts(measure: Measure) -> list[Measure]:
    if isinstance(measure, Binary) and _is_windowed(measure):
        return [*_plain_parts(measure.left), *_plain_parts(measure.right)]
    return _plain_parts(measure.inner) if isinstance(measure, Nest | Window | Overall) else [measure]


def _names(measures: Sequence[Measure]) -> dict[Measure, str]:
    names: dict[Measure, str] = {}
    for measure in measures:
        base = sql.name_of(measure)
        taken = sum(1 for name in names.values() if name == base or name.startswith(f"{base}_"))
        names[measure] = base if not taken else f"{base}_{taken + 1}"
    return names


def _common(measures: Sequence[Measure], having: Sequence[Having]) -> Predicate:
    """Return the conditions every measure shares: they move to the WHERE clause."""
    if any(known.value == 0 and known.operator == "=" for known in having):
        return EVERYTHING
    wheres = [where for measure in measures for where in _wheres(measure)]
    if not wheres:
        return EVERYTHING
    first, *others = [both([where]).parts for where in wheres]
    return All(tuple(part for part in first if all(part in other for other in others)))


def _wheres(measure: Measure) -> list[Predicate]:
    if isinstance(measure, Binary):
        return [*_wheres(measure.left), *_wheres(measure.right)]
    if isinstance(measure, Overall):
        return _wheres(measure.inner)
    if isinstance(measure, Share):
        return [measure.whole]
    return [getattr(measure, "where", EVERYTHING)]


def _tidy(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
