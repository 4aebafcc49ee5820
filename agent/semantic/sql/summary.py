"""A summary in SQL: a grouped query, wrapped where windows, rankings or averages over groups need it."""

from dataclasses import dataclass

from sqlglot import exp

from agent.semantic.algebra import (
    Binary,
    Count,
    Dimension,
    Having,
    Measure,
    Nest,
    Order,
    Overall,
    Reference,
    Summary,
    Window,
)
from agent.semantic.predicates import EVERYTHING, Missing, Not, both
from agent.semantic.sql.aggregates import binary, name_of, nullif, ordered, plain, round_, statistic
from agent.semantic.sql.conditions import FACTS, alias_of, compare, dimension, labelled
from agent.semantic.sql.plain import common_of, names_of, plain_parts
from agent.semantic.sql.rows import filtered, joined
from agent.semantic.sql.windows import hundred, is_windowed, over, times

GROUPED = "grouped"


RANKED = "ranked"


@dataclass
class SummaryQuery:
    """Renders one summary: a grouped query, wrapped where windows, rankings or averages over groups need it."""

    intent: Summary

    def query(self) -> exp.Select:
        """Return the whole query."""
        intent = self.intent
        self.parts = list(dict.fromkeys(inner for measure in self._used() for inner in plain_parts(measure)))
        self.names = names_of(self.parts)
        self.common = common_of(self.parts, intent.having)
        self.nested = next((measure for measure in self._used() if isinstance(measure, Nest)), None)
        base = self._base()
        if intent.top_share:
            return self._top_share(base)
        if intent.count_groups:
            return exp.select(exp.Count(this=exp.Star()).as_("groups")).from_(base.subquery("matching"))
        if self.nested is None and not self._wrapped():
            return self._finish(base)
        return self._finish(self._wrap(base))

    def _top_share(self, base: exp.Select) -> exp.Select:
        """The percent of all incidents that the first groups make up together."""
        value, group = self._name(self.parts[0]), alias_of(self.intent.groups[0])
        descending = self.intent.order[0].descending if self.intent.order else True
        first = exp.select(value).from_(GROUPED).where(exp.column(group).is_(exp.not_(exp.Null())))
        first = first.order_by(*ordered([(exp.column(value), descending)])).limit(self.intent.limit or 1)
        part = exp.select(exp.Sum(this=exp.column(value))).from_(first.subquery("first_groups")).subquery()
        whole = exp.select(exp.Sum(this=exp.column(value))).from_(GROUPED).subquery()
        share = round_(exp.Div(typed=True, this=hundred(part), expression=nullif(whole)), 2)
        return exp.select(share.as_("share")).with_(GROUPED, as_=base)

    def _used(self) -> list[Measure]:
        keys = [order.key for order in self.intent.order if not isinstance(order.key, Dimension)]
        asked = [having.measure for having in self.intent.having]
        other = [h.value.measure for h in self.intent.having if isinstance(h.value, Reference) and h.value.measure]
        return list(dict.fromkeys([*self.intent.measures, *keys, *asked, *other]))

    def _wrapped(self) -> bool:
        windows = any(isinstance(measure, Window) or is_windowed(measure) for measure in self._used())
        averages = any(isinstance(h.value, Reference) and h.value.kind == "groups" for h in self.intent.having)
        return windows or averages or bool(self.intent.per)

    def _base(self) -> exp.Select:
        """The grouped query: every plain measure of every group."""
        intent = self.intent
        groups = [*intent.groups, *(self.nested.over if self.nested else ())]
        keys = [labelled(value) for value in groups]
        wrapped = self.nested is not None or self._wrapped()
        shown = self.parts if wrapped else list(intent.measures)
        measures = [self._plain(measure).as_(self._name(measure)) for measure in shown]
        query = joined(exp.select(*keys, *measures).from_(FACTS), groups)
        coded = [] if intent.top_share else [v for v in groups if v.lookup is not None and not v.named]
        known = [Not(Missing(value.column)) for value in coded]
        query = filtered(query, both([intent.where, self.common, *known]))
        if groups:
            query = query.group_by(*[dimension(value) for value in groups])
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
            inner = exp.select(self._plain(measure.inner)).from_(FACTS)
            return filtered(inner, both([self.intent.where, self.common])).subquery()
        if isinstance(measure, Binary) and isinstance(measure.right, Overall):
            return binary(measure.operator, self._plain(measure.left), self._plain(measure.right))
        return plain(measure, both([self.common, self.intent.where]))

    def _name(self, measure: Measure) -> str:
        return self.names[measure] if measure in self.names else name_of(measure)

    def _having(self, having: Having, measured: exp.Expr) -> exp.Expr:
        if having.upper is not None:
            low, high = exp.convert(_tidy(having.value)), exp.convert(_tidy(having.upper))
            return exp.Between(this=measured, low=low, high=high)
        return compare(measured, having.operator, self._bound(having))

    def _bound(self, having: Having) -> exp.Expr:
        value = having.value
        if not isinstance(value, Reference):
            return exp.convert(_tidy(value))
        if value.kind == "measure":
            assert value.measure is not None
            return self._plain(value.measure)
        if value.kind == "overall":
            return times(self._plain(Overall(having.measure)), value.factor)
        if value.kind == "universal":
            return exp.select(plain(having.measure, EVERYTHING)).from_(FACTS).subquery()
        column = exp.column(self._value_name(having.measure))
        average = exp.select(statistic(value.function, column, digits=None)).from_(GROUPED).subquery()
        return times(average, value.factor)

    def _value_name(self, measure: Measure) -> str:
        return self._name(measure.inner) if isinstance(measure, Nest) else self._name(measure)

    def _wrap(self, base: exp.Select) -> exp.Select:
        """The query over the grouped one: statistics of groups, windows, conditions against all groups."""
        intent = self.intent
        keys: list[exp.Expr] = [exp.column(alias_of(value)) for value in intent.groups]
        query = exp.select(*keys).from_(GROUPED).with_(GROUPED, as_=base)
        shown = list(intent.measures)
        if self.nested is not None:
            for measure in shown:
                query = query.select(self._nest(measure).as_(self._outer_name(measure)))
            return query.group_by(*keys) if keys else query
        for measure in shown:
            if isinstance(measure, Window):
                query = query.select(self._window(measure).as_(self._outer_name(measure)))
            elif is_windowed(measure):
                assert isinstance(measure, Binary)
                assert isinstance(measure.left, Window)
                assert isinstance(measure.right, Window)
                made = binary(measure.operator, self._window(measure.left), self._window(measure.right))
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
        return statistic(measure.function, exp.column(self._name(measure.inner)))

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
        time = [(exp.column(alias_of(group)), False) for group in self.intent.groups if group.order == "time"]
        if window.kind == "rank":
            return over(exp.func("RANK"), window.within, [(value, not window.ascending)])
        if window.kind == "total_share":
            whole = nullif(over(exp.Sum(this=value.copy()), window.within, []))
            return round_(exp.Div(typed=True, this=hundred(value), expression=whole), 2)
        if window.kind in {"running", "running_share"}:
            keys = time or [(value.copy(), True)]
            running = over(exp.Sum(this=value), outside if time else (), keys)
            if window.kind == "running":
                return running
            whole = nullif(over(exp.Sum(this=value.copy()), outside if time else (), []))
            return round_(exp.Div(typed=True, this=hundred(running), expression=whole), 2)
        if window.kind == "moving":
            return round_(over(exp.Avg(this=value), outside, time, preceding=window.size - 1), 2)
        before = over(exp.Lag(this=value.copy()), outside, time)
        if window.kind == "previous":
            return before
        if window.kind == "change_percent":
            return binary("%-" if window.ascending else "%", value, before)
        return binary("-", before, value) if window.ascending else binary("-", value, before)

    def _ranked(self, query: exp.Select) -> exp.Select:
        """Keep the first rows within each of the outer groups; tied rows are all kept."""
        intent = self.intent
        keys = [(self._order_key(order), order.descending) for order in intent.order]
        if not keys:
            keys = [(exp.column(self._outer_name(intent.measures[0])), True)]
        inner = query.select(over(exp.func("RANK"), intent.per, keys).as_("position"))
        bounded = [having for having in intent.having if self._of_partition(having)]
        for number, having in enumerate(bounded, 1):
            total = over(exp.Sum(this=exp.column(self._name(having.measure))), intent.per, [])
            inner = inner.select(total.as_(f"total_{number}"))
        with_ = inner.args.pop("with_", None) or inner.args.pop("with", None)
        names = [*[alias_of(group) for group in intent.groups], *map(self._outer_name, intent.measures)]
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
            return exp.column(alias_of(order.key))
        return exp.column(self._outer_name(order.key))

    def _finish(self, query: exp.Select) -> exp.Select:
        """Sort and cut: by the wish, else along time, else by the first measure."""
        intent = self.intent
        if not intent.groups:
            return query
        keys = [(exp.column(alias_of(group)), False) for group in intent.groups]
        if intent.per:
            outer = [(exp.column(alias_of(group)), False) for group in intent.per]
            return query.order_by(*ordered([*outer, (exp.column("position"), False), *keys[len(outer) :]]))
        wished = [(self._order_key(order), order.descending) for order in intent.order]
        if not wished and intent.measures and len(keys) == 1 and intent.groups[0].order != "time":
            wished = [(exp.column(self._outer_name(intent.measures[0])), True)]
        query = query.order_by(*ordered([*wished, *keys]))
        if intent.nth is not None:
            return query.limit(1).offset(intent.nth - 1)
        return query.limit(intent.limit) if intent.limit is not None else query


def _tidy(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
