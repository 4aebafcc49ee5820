"""From the composed atoms of a question to its typed intent."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agent.semantic.algebra import (
    Aggregate,
    Binary,
    Count,
    CountDistinct,
    Dimension,
    Having,
    Intent,
    Measure,
    Nest,
    Order,
    Reference,
    Rows,
    Share,
    Summary,
    Window,
)
from agent.semantic.grammar import Atom
from agent.semantic.lookups import read_lookup
from agent.semantic.meanings import Condition, Grouping, Ranking
from agent.semantic.model import load_model
from agent.semantic.predicates import All, AnyOf, Compare, OneOf, Predicate, Scalar, both, columns_of, negate, values_of
from agent.semantic.shape import Change, Contrast, Recent, narrowed

GRAINS = {"month": "year_month", "quarter": "year_quarter"}


class NotUnderstoodError(Exception):
    """A question, or a part of it, that has no reading; the message says which part."""


@dataclass
class Parts:
    """What the atoms of a question add up to, before the intent is decided."""

    atoms: Sequence[Atom]
    where: list[Predicate] = field(default_factory=list)
    groups: list[Grouping] = field(default_factory=list)
    plural: set[str] = field(default_factory=set)
    measures: list[Measure] = field(default_factory=list)
    having: list[Having] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    recent: Recent | None = None
    limit: int | None = None
    nth: int | None = None
    coordinated: list[Condition] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    def has(self, kind: str) -> bool:
        """Whether an atom of a kind is left."""
        return any(atom.kind == kind for atom in self.atoms)

    def first(self, kind: str) -> Atom | None:
        """Return the first atom of a kind."""
        return next((atom for atom in self.atoms if atom.kind == kind), None)


def assemble(atoms: Sequence[Atom]) -> Intent:
    """Return the intent of a question's atoms.

    Raises:
        NotUnderstoodError: when an atom has no place in any reading, or the parts do not add up to a question.
    """
    if (names := read_lookup(atoms)) is not None:
        return names
    parts = _collect(atoms)
    _add_compared(parts)
    if (rows := _rows(parts)) is not None:
        return rows
    return _summary(parts)


def _collect(atoms: Sequence[Atom]) -> Parts:
    parts = Parts(atoms)
    grouped = any(atom.kind == "group" for atom in atoms)
    counted = any(atom.kind == "meas" and isinstance(atom.value, CountDistinct) for atom in atoms)
    for atom in atoms:
        value = atom.value
        if isinstance(value, Condition):
            parts.where.append(value.predicate)
            parts.conditions.append(value)
            if value.coordinated:
                parts.coordinated.append(value)
        elif isinstance(value, Grouping):
            if all(value.dimension.name != known.dimension.name for known in parts.groups):
                parts.groups.append(value)
            if atom.words.lower().rstrip(")").endswith("s"):
                parts.plural.add(value.dimension.name)
        elif atom.kind == "meas":
            if value not in parts.measures:
                parts.measures.append(value)  # type: ignore[arg-type]  # a measure atom holds a measure
        elif isinstance(value, Having):
            parts.having.append(value)
        elif atom.kind == "universal_group":
            assert isinstance(value, Dimension)
            parts.having.append(Having(CountDistinct(value), "=", Reference("universal")))
        elif isinstance(value, Ranking):
            parts.rankings.append(value)
        elif isinstance(value, Change):
            parts.changes.append(value)
        elif isinstance(value, Recent):
            parts.recent = value
        elif isinstance(value, Contrast):
            _contrast(parts, value, grouped=grouped or counted)
        elif atom.kind == "none_of":
            _none_of(parts, value, grouped=grouped or counted)
        elif atom.kind == "limit":
            parts.limit = int(str(value))
        elif atom.kind == "nth":
            parts.nth = int(str(value))
        elif atom.kind not in load_model().silent:
            raise NotUnderstoodError(f"“{atom.words}” has no place in what was understood")
    return parts


def _contrast(parts: Parts, contrast: Contrast, *, grouped: bool) -> None:
    if grouped:
        parts.having.append(Having(Count(both([contrast.has])), ">", 0))
        bound = (">", 0) if contrast.kind == "both" else ("=", 0)
        parts.having.append(Having(Count(both([contrast.other])), *bound))  # type: ignore[arg-type]  # literals
        parts.measures = parts.measures or []
        return
    said = both([contrast.other])
    own = [part for part in said.parts if part not in both([contrast.has]).parts]
    parts.where += [contrast.has, *(negate(part) for part in own)]


def _none_of(parts: Parts, where: object, *, grouped: bool) -> None:
    predicate = both([where])  # type: ignore[list-item]  # a none_of atom holds a predicate
    if grouped:
        parts.having.append(Having(Count(predicate), "=", 0))
    else:
        parts.where.append(negate(predicate))


def _add_compared(parts: Parts) -> None:
    """Group by the column whose values are compared, when the question only sets values side by side."""
    contest = (parts.has("more") or parts.has("fewer")) and bool(parts.coordinated)
    if parts.changes or parts.having or not (parts.has("compare") or contest):
        return
    by_column: dict[str, list[Condition]] = {}
    for condition in parts.conditions:
        if len(condition.columns) == 1:
            by_column.setdefault(next(iter(condition.columns)), []).append(condition)
    for column, conditions in by_column.items():
        if len(conditions) > 1 or conditions[0].coordinated:
            values = [value for condition in conditions for value in values_of(condition.predicate) or ()]
            parts.where = [part for part in parts.where if columns_of(part) != {column}]
            if not (len(values) == 2 and isinstance(values[0], bool)):
                parts.where.append(OneOf(column, tuple(values)))
            dimension = next(d for d in load_model().dimensions.values() if d.column == column and not d.expression)
            parts.groups.insert(0, Grouping(dimension, "which" if contest else "each"))
            if contest:
                parts.rankings.append(Ranking(parts.has("more")))
            return


def _rows(parts: Parts) -> Rows | Summary | None:
    """Return the listing of incidents a question asks for, if it does."""
    rows = load_model().row_columns
    dimensions = [group.dimension for group in parts.groups if group.role in {"bare", "which"}]
    moment_only = {dimension.name for dimension in dimensions} <= {"date", "timestamp"}
    if parts.measures or parts.rankings or parts.having or parts.changes:
        return None
    where = both(parts.where)
    if parts.recent is not None and parts.recent.limit is None and moment_only and (dimensions or parts.has("when")):
        function = "max" if parts.recent.newest else "min"
        return Summary(where=where, measures=(Aggregate(function, "INCIDENT_DATE"),))  # type: ignore[arg-type]
    listed = parts.recent is not None or any(dimension.name in rows for dimension in dimensions)
    if not listed or any(group.role in {"each", "by"} for group in parts.groups):
        return None
    if not dimensions:
        dimensions = [load_model().dimensions[name] for name in ("case_number", "timestamp", "crime_type", "block")]
    order: tuple[tuple[str, bool], ...] = ()
    if parts.recent is not None:
        order = (("INCIDENT_DATE", parts.recent.newest),)
    limit = parts.limit or (parts.recent.limit or 1 if parts.recent else None)
    columns = tuple(replace(dimension, expression=None, named=dimension.named) for dimension in dimensions)
    return Rows(columns, where, order, limit)


def _summary(parts: Parts) -> Summary:
    where = both(parts.where)
    groups = _groups(parts, where)
    measures = [_timed(measure, where, groups) for measure in parts.measures]
    if not groups and parts.having and len(measures) == 1 and isinstance(measures[0], CountDistinct):
        having = tuple(parts.having)
        return Summary(where, (measures[0].dimension,), (), having, count_groups=True)
    measures = _unrepeated(measures, where)
    measures, order = _ordered(parts, measures, groups)
    measures = _changes(parts, measures, groups, where)
    where, measures = _spans(parts, where, measures)
    if parts.changes and parts.changes[0].ranked is not None and measures:
        order = (Order(measures[-1], parts.changes[0].ranked),)
    if _is_top_share(parts):
        coded = tuple(replace(group, named=False) for group in groups)
        return Summary(where, coded, tuple(measures), (), order, parts.limit or 1, top_share=True)
    measures = _windows(parts, measures, groups)
    where, measures = _columns(parts, where, measures)
    if (
        not order
        and groups
        and (sort := parts.first("sorted")) is not None
        and sort.value
        and groups[0].order != "time"
    ):
        order = (Order(measures[0] if measures else groups[0], False),)
    measures = _defaults(parts, measures, groups, order)
    _check(parts, where, measures, groups)
    limit, nth = _limit(parts, order, groups)
    per = _per(parts, groups, limit or nth)
    return Summary(where, tuple(groups), tuple(measures), tuple(parts.having), order, limit, per, nth)


def _check(parts: Parts, where: Predicate, measures: Sequence[Measure], groups: Sequence[Dimension]) -> None:
    """Refuse what would silently leave out a part of the question.

    Raises:
        NotUnderstoodError: conditions exclude each other, or a comparison, share or ranking found no place.
    """
    seen: dict[str, set[Scalar]] = {}
    for leaf in both([where]).parts:
        if (values := values_of(leaf)) and len(columns_of(leaf)) == 1:
            (column,) = columns_of(leaf)
            seen[column] = seen[column] & set(values) if column in seen else set(values)
            if not seen[column]:
                raise NotUnderstoodError(f"two conditions on {column} that exclude each other")
    windows = {part.kind for measure in measures for part in _windows_in(measure)}
    shares = any(isinstance(measure, Share) for measure in measures)
    if (parts.has("share") or parts.has("share_total")) and "total_share" not in windows and not shares:
        raise NotUnderstoodError("a share, without what it is a share of")
    contest = any(parts.has(kind) for kind in ("more", "fewer"))
    if contest and not parts.rankings and not parts.changes:
        raise NotUnderstoodError("a comparison, without what is compared")
    if parts.has("compare") and not groups and len(measures) < 2 and not parts.changes:
        raise NotUnderstoodError("a comparison, without its two sides")
    if parts.rankings and not groups:
        raise NotUnderstoodError("a ranking, without what is ranked")
    if any(g.role == "bare" and g.dimension.name == "date" for g in parts.groups) and not (
        parts.rankings or parts.having
    ):
        raise NotUnderstoodError("“day”, which may be a date or a part of the day")
    if len({ranking for ranking in parts.rankings if ranking.measure is not None}) > 1:
        raise NotUnderstoodError("two rankings in one question")
    along = any(parts.has(kind) for kind in ("sequential", "running", "moving", "running_share"))
    if along and not (windows and any(group.order == "time" for group in groups)):
        raise NotUnderstoodError("a development, without the time it runs along")
    if parts.has("by_how_much") and not any(isinstance(m, Binary | Window) for m in measures):
        raise NotUnderstoodError("a difference, without its two sides")


def _windows_in(measure: Measure) -> list[Window]:
    if isinstance(measure, Binary):
        return [*_windows_in(measure.left), *_windows_in(measure.right)]
    return [measure] if isinstance(measure, Window) else []


def _unrepeated(measures: Sequence[Measure], where: Predicate) -> list[Measure]:
    """Return the measures without conditions that contradict the question's own: loose repetitions of its subject."""
    fixed = {
        column: values for leaf in both([where]).parts if (values := values_of(leaf)) for column in columns_of(leaf)
    }
    kept: list[Measure] = []
    for measure in measures:
        if isinstance(measure, Count):
            leaves = [leaf for leaf in both([measure.where]).parts if not _contradicts(leaf, fixed)]
            measure = Count(both(leaves))
        kept.append(measure)
    return list(dict.fromkeys(kept))


def _contradicts(leaf: Predicate, fixed: dict[str, tuple[Scalar, ...]]) -> bool:
    values = values_of(leaf)
    columns = columns_of(leaf)
    return bool(values) and any(column in fixed and not set(values or ()) & set(fixed[column]) for column in columns)


def _is_top_share(parts: Parts) -> bool:
    share, ranking = parts.first("share") or parts.first("share_total"), parts.first("ranking")
    return bool(share and ranking and share.at < ranking.at and not any(g.role == "each" for g in parts.groups))


def _columns(parts: Parts, where: Predicate, measures: list[Measure]) -> tuple[Predicate, list[Measure]]:
    """Set the sides of a comparison beside each other as columns, when the question says so."""
    if not parts.has("side_by_side") or not parts.coordinated:
        return where, measures
    condition = parts.coordinated[0]
    values = values_of(condition.predicate)
    sides: tuple[Predicate, ...] = ()
    if values:
        (column,) = condition.columns
        sides = tuple(Compare(column, "=", value) for value in values)
    elif isinstance(condition.predicate, AnyOf):
        sides = condition.predicate.parts
    rest = both(leaf for leaf in both([where]).parts if leaf != condition.predicate)
    base = measures[0] if measures else Count()
    return rest, [narrowed(base, side) for side in sides]


def _groups(parts: Parts, where: Predicate) -> list[Dimension]:
    outer = [group for group in parts.groups if group.role in {"each", "period"}]
    rest = [group for group in parts.groups if group.role not in {"each", "period"}]
    dimensions = [group.dimension for group in [*outer, *rest]]
    if not dimensions and parts.has("development"):
        dimensions = [load_model().dimensions["month" if _one_year(where) else "year"]]
        parts.groups.append(Grouping(dimensions[0], "period"))
    return [grain for dimension in dimensions for grain in _grain(dimension, where, dimensions, parts)]


def _grain(dimension: Dimension, where: Predicate, all_: Sequence[Dimension], parts: Parts) -> list[Dimension]:
    """Return a month or quarter with its year where the months of several years must be told apart."""
    model = load_model()
    if dimension.name == "year_month":
        return [model.dimensions["year"], model.dimensions["month"]]
    if dimension.name not in GRAINS or any(other.name == "year" for other in all_):
        return [dimension]
    along = any(parts.has(kind) for kind in ("running", "moving", "sequential", "running_share"))
    if _one_year(where) or not (along or _several_years(where)):
        return [dimension]
    return [model.dimensions["year"], dimension]


def _one_year(where: Predicate) -> bool:
    leaves = where.parts if isinstance(where, All) else (where,)
    return any(columns_of(leaf) == {"YEAR"} and len(values_of(leaf) or ()) == 1 for leaf in leaves)


def _several_years(where: Predicate) -> bool:
    return bool(columns_of(where) & {"YEAR", "INCIDENT_DATE"}) and not _one_year(where)


def _timed(measure: Measure, where: Predicate, groups: Sequence[Dimension]) -> Measure:
    """Return a nested measure with the year added to its grain where one year is not fixed."""
    if not isinstance(measure, Nest) or _one_year(where):
        return measure
    year = load_model().dimensions["year"]
    if any(dimension.name in GRAINS for dimension in measure.over) and year not in groups:
        return replace(measure, over=(year, *measure.over))
    return measure


def _ordered(
    parts: Parts, measures: list[Measure], groups: Sequence[Dimension]
) -> tuple[list[Measure], tuple[Order, ...]]:
    if not parts.rankings or (parts.changes and not measures):
        return measures, ()
    ranking = next((known for known in parts.rankings if known.measure is not None), parts.rankings[0])
    key = ranking.measure or (measures[0] if measures else Count())
    if key not in measures:
        measures = [*measures, key]
    if not groups and isinstance(key, CountDistinct):
        raise NotUnderstoodError("a ranking without anything to rank")
    return measures, (Order(key, parts.rankings[0].descending),)


def _changes(parts: Parts, measures: list[Measure], groups: Sequence[Dimension], where: Predicate) -> list[Measure]:
    """Add the change along a grain ("year over year") to the measures."""
    sequential = parts.has("sequential")
    wanted = parts.changes[0] if parts.changes else None
    if not sequential and not (wanted and any(group.order == "time" for group in groups)):
        return measures
    base = (wanted.measure if wanted else None) or (measures[0] if measures else Count())
    percent = (wanted and wanted.percent) or parts.has("by_what_percent") or parts.has("in_percent")
    kind = "change_percent" if percent else ("change" if wanted or parts.has("by_how_much") else "previous")
    if isinstance(base, Share) and kind == "change_percent" and wanted is None:
        kind = "change"
    if not groups:
        grain = parts.first("sequential")
        name = str(grain.value) if grain else "year"
        found = load_model().dimensions.get(name)
        if found is None:
            raise NotUnderstoodError("a change without the time it runs along")
        groups.extend(_grain(found, where, [], parts))  # type: ignore[attr-defined]  # the caller's own list
    kept = measures if measures else [base]
    if wanted is not None and wanted.ranked is not None:
        kept = []
    down = wanted is not None and wanted.direction == "down" and wanted.ranked is not None
    return [*kept, Window(kind, base, ascending=down)]  # type: ignore[arg-type]  # one of the literals above


def _spans(parts: Parts, where: Predicate, measures: list[Measure]) -> tuple[Predicate, list[Measure]]:
    """Set two spans of the question against each other: the change from the earlier to the later."""
    asked = parts.has("by_how_much") or parts.has("by_what_percent")
    if (not parts.changes and not asked) or any(isinstance(measure, Window) for measure in measures):
        return where, measures
    pair = _two_sides(parts, where)
    if pair is None:
        raise NotUnderstoodError("a change, without the two spans or groups it lies between")
    first, second, rest = pair
    wanted = parts.changes[0] if parts.changes else Change(False, "both", None)
    base = wanted.measure or (measures[0] if measures else Count())
    low, high = narrowed(base, first), narrowed(base, second)
    if parts.has("share") and isinstance(base, Count) and parts.groups:
        low, high = Window("total_share", low), Window("total_share", high)
    down = wanted.direction == "down"
    if wanted.percent or parts.has("by_what_percent") or parts.has("in_percent"):
        change = Binary("%-" if down else "%", high, low)
    else:
        change = Binary("-", low, high) if down else Binary("-", high, low)
    if wanted.threshold is not None:
        bound = wanted.threshold
        parts.having.append(Having(change, bound.operator, bound.value, bound.upper))
    elif (
        wanted.direction != "both" and any(g.role in {"which", "bare"} for g in parts.groups) and wanted.ranked is None
    ):
        parts.having.append(Having(change, ">", 0))
    return rest, [low, high] if parts.has("echo") and wanted.threshold else [change]


def _two_sides(parts: Parts, where: Predicate) -> tuple[Predicate, Predicate, Predicate] | None:
    """Return the earlier side, the later side and the other conditions."""
    leaves = list(both([where]).parts)
    low = next((x for x in leaves if isinstance(x, Compare) and x.column == "YEAR" and x.operator == ">="), None)
    high = next((x for x in leaves if isinstance(x, Compare) and x.column == "YEAR" and x.operator == "<="), None)
    if low and high:
        rest = both(leaf for leaf in leaves if leaf not in (low, high))
        return Compare("YEAR", "=", low.value), Compare("YEAR", "=", high.value), rest
    for condition in parts.conditions:
        values = values_of(condition.predicate)
        if values and len(values) == 2 and len(condition.columns) == 1 and condition.coordinated:
            (column,) = condition.columns
            rest = both(leaf for leaf in leaves if leaf != condition.predicate)
            ordered = sorted(values, key=str) if column == "YEAR" else [values[1], values[0]]
            return Compare(column, "=", ordered[0]), Compare(column, "=", ordered[1]), rest
    years = [leaf for leaf in leaves if isinstance(leaf, Compare) and leaf.column == "YEAR" and leaf.operator == "="]
    if len(years) == 2:
        first, second = sorted(years, key=lambda leaf: str(leaf.value))
        return first, second, both(leaf for leaf in leaves if leaf not in years)
    return None


def _windows(parts: Parts, measures: list[Measure], groups: Sequence[Dimension]) -> list[Measure]:
    base = measures[0] if measures else Count()
    within = _outer(parts, groups)
    shown = measures or [base]
    time = tuple(group for group in groups if group.order != "time")
    if parts.has("running_share"):
        return [*shown, Window("running_share", base, time)]
    if parts.has("running"):
        return [*shown, Window("running", base, time)]
    if (moving := parts.first("moving")) is not None:
        return [*shown, Window("moving", base, time, size=int(str(moving.value or 3)))]
    if parts.has("rank") and groups:
        key = parts.rankings[0].measure if parts.rankings and parts.rankings[0].measure else base
        ascending = bool(parts.rankings) and not parts.rankings[0].descending
        return [*shown, Window("rank", key, within, ascending=ascending)]
    if any(isinstance(m, Binary) and isinstance(m.left, Window) for m in measures):
        return measures
    if parts.has("share_total") and groups and not any(isinstance(m, Share) for m in measures):
        return [*measures, Window("total_share", base, within)]
    if parts.has("share") and groups and not any(isinstance(m, Share) for m in measures):
        counted, asked = parts.first("meas"), parts.first("share")
        early = counted is not None and asked is not None and counted.at < asked.at
        kept = measures if early or parts.rankings else [m for m in measures if not isinstance(m, Count)]
        return [*kept, Window("total_share", base, within)]
    return measures


def _outer(parts: Parts, groups: Sequence[Dimension]) -> tuple[Dimension, ...]:
    each = {group.dimension.column for group in parts.groups if group.role == "each"}
    outer = tuple(group for group in groups if group.column in each)
    return outer if len(outer) < len(groups) else tuple(groups[:-1])


def _defaults(
    parts: Parts, measures: list[Measure], groups: Sequence[Dimension], order: tuple[Order, ...]
) -> list[Measure]:
    if measures:
        return measures
    if any(isinstance(h.value, Reference) and h.value.kind == "universal" for h in parts.having):
        return []
    shown = [having.measure for having in parts.having if not (having.operator == "=" and having.value == 0)]
    for having in parts.having:
        if isinstance(having.value, Reference) and having.value.measure is not None:
            shown.append(having.value.measure)
    exists = any(having.value == 0 for having in parts.having)
    if shown and not exists:
        return list(dict.fromkeys(shown))
    if exists and groups:
        return []
    counted = parts.has("count_of") or any(group.role in {"each", "by", "period"} for group in parts.groups)
    if groups and not counted and not order:
        return []
    if not groups and not parts.has("pop") and not parts.where and not parts.has("count_of"):
        raise NotUnderstoodError("nothing to count, list or compare was found")
    return [Count()]


def _limit(parts: Parts, order: tuple[Order, ...], groups: Sequence[Dimension]) -> tuple[int | None, int | None]:
    if parts.nth is not None and order:
        return None, parts.nth
    if parts.limit is not None:
        return parts.limit, None
    if not order or not groups or parts.has("rank"):
        return None, None
    target = next((group for group in reversed(parts.groups) if group.role in {"which", "bare"}), None)
    if target is None:
        return (1, None) if not any(group.role == "by" for group in parts.groups) else (None, None)
    return (None, None) if target.dimension.name in parts.plural and not parts.has("single") else (1, None)


def _per(parts: Parts, groups: Sequence[Dimension], limit: int | None) -> tuple[Dimension, ...]:
    if limit is None:
        return ()
    each = {group.dimension.column for group in parts.groups if group.role in {"each", "by", "period"}}
    outer = tuple(group for group in groups if group.column in each)
    return outer if len(outer) < len(groups) else ()
