"""Syntax that a query may use: node types, data types and clauses, each listed; anything else is refused."""

from sqlglot import exp

ALLOWED_NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        # Queries and their clauses.
        exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery, exp.With, exp.CTE, exp.From, exp.Table,
        exp.TableAlias, exp.Join, exp.Lateral, exp.Values, exp.Where, exp.Group, exp.GroupingSets, exp.Cube, exp.Rollup,
        exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.LimitOptions, exp.Offset, exp.Fetch, exp.Distinct,
        exp.Window, exp.WindowSpec, exp.WithinGroup, exp.Filter, exp.Unnest,
        # Names, values and types.
        exp.Identifier, exp.Column, exp.Alias, exp.Star, exp.Literal, exp.National, exp.Boolean, exp.Null, exp.Var,
        exp.Tuple, exp.Array, exp.Bracket, exp.Slice, exp.Interval, exp.IntervalSpan, exp.DataType, exp.DataTypeParam,
        exp.RawString,
        # Calls; their names are judged one by one.
        exp.Anonymous, exp.Cast, exp.Extract, exp.Overlay, exp.StrPosition, exp.Substring, exp.Trim, exp.Kwarg,
        exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Localtime, exp.Localtimestamp,
        # Operators and conditions.
        exp.And, exp.Or, exp.Not, exp.Paren, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Pow, exp.Neg, exp.DPipe,
        exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is, exp.In, exp.Between,
        exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.Escape, exp.Exists, exp.Any, exp.All,
        exp.Case, exp.If, exp.AtTimeZone, exp.Collate, exp.Overlaps, exp.ArrayOverlaps, exp.ArrayContainsAll,
        exp.ArrayContainedBy, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift,
        exp.BitwiseRightShift, exp.Sqrt, exp.Cbrt,
    }
)  # fmt: skip

_T = exp.DataType.Type
ALLOWED_TYPES = frozenset(
    {
        _T.BOOLEAN, _T.SMALLINT, _T.INT, _T.BIGINT, _T.DECIMAL, _T.FLOAT, _T.DOUBLE, _T.MONEY, _T.TEXT, _T.VARCHAR,
        _T.CHAR, _T.BPCHAR, _T.DATE, _T.TIME, _T.TIMETZ, _T.TIMESTAMP, _T.TIMESTAMPTZ, _T.INTERVAL, _T.ARRAY, _T.JSON,
        _T.JSONB, _T.UUID,
    }
)  # fmt: skip
"""Types that a value may be cast to. Those that look names up (regclass, oid, name, ...) are absent."""

ALLOWED_CLAUSES: dict[type, frozenset[str]] = {
    exp.Select: frozenset(
        {
            "with_", "expressions", "distinct", "from_", "joins", "laterals", "where", "group", "having", "windows",
            "order", "limit", "offset",
        }
    ),
    exp.Union: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Except: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Intersect: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Subquery: frozenset({"with_", "this", "alias", "joins", "laterals", "order", "limit", "offset"}),
    exp.With: frozenset({"expressions", "recursive"}),
    exp.CTE: frozenset({"this", "alias", "materialized"}),
    exp.Table: frozenset({"this", "db", "alias", "joins", "laterals", "ordinality"}),
    exp.Lateral: frozenset({"this", "alias", "ordinality"}),
    exp.Join: frozenset({"this", "on", "using", "side", "kind", "method", "expressions"}),
}  # fmt: skip
"""Clauses of the node types that have dangerous ones (INTO, locking, hints, samples, SEARCH, ...)."""
