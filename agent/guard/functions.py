"""PostgreSQL's functions that a query may call, by name: pure ones over the query's own values, and nothing else.

What reads settings, files, catalogs, sessions or other servers, runs SQL in a string, takes locks, sleeps, signals,
writes large objects or sequences is absent, and so is every function added later.
"""

import re

_AGGREGATES = """
    any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank
    every first_value grouping json_agg jsonb_agg json_object_agg jsonb_object_agg lag last_value lead max min mode
    nth_value ntile percent_rank percentile_cont percentile_disc rank regr_avgx regr_avgy regr_count regr_intercept
    regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number stddev stddev_pop stddev_samp string_agg sum var_pop
    var_samp variance
"""
_MATHEMATICS = """
    abs acos acosd asin asind atan atan2 atan2d atand cbrt ceil ceiling cos cosd cosh cot cotd degrees div exp factorial
    floor gcd greatest lcm least ln log log10 min_scale mod pi power radians random round scale sign sin sind sinh sqrt
    tan tand tanh trim_scale trunc width_bucket
"""
_STRINGS = """
    ascii bit_length btrim char_length character_length chr concat concat_ws format initcap left length lower lpad ltrim
    md5 normalize octet_length overlay position quote_ident quote_literal quote_nullable regexp_count regexp_instr
    regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
    repeat replace reverse right rpad rtrim split_part starts_with string_to_array string_to_table strpos substr
    substring to_hex translate trim upper
"""
_DATES = """
    age clock_timestamp current_date current_time current_timestamp date date_bin date_part date_trunc extract isfinite
    justify_days justify_hours justify_interval localtime localtimestamp make_date make_interval make_time
    make_timestamp make_timestamptz now statement_timestamp timezone to_char to_date to_number to_timestamp
    transaction_timestamp
"""
_CONDITIONS_AND_VALUES = """
    coalesce nullif num_nonnulls num_nulls row
"""
_ARRAYS = """
    array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
    array_prepend array_remove array_replace array_to_string array_upper cardinality generate_series generate_subscripts
    trim_array unnest
"""
_JSON = """
    array_to_json json_array_length json_build_array json_build_object json_typeof jsonb_array_length jsonb_build_array
    jsonb_build_object jsonb_typeof row_to_json to_json to_jsonb
"""

ALLOWED_FUNCTIONS = frozenset(
    " ".join((_AGGREGATES, _MATHEMATICS, _STRINGS, _DATES, _CONDITIONS_AND_VALUES, _ARRAYS, _JSON)).split()
)
"""Names as PostgreSQL folds them."""

DANGEROUS_FUNCTIONS = re.compile("^(pg_|lo_|dblink|binary_upgrade_|crosstab|ts_|set_config|.*_to_xml)")
"""Names that are refused as such, whether this server has them or not."""

CONSTRUCTS = frozenset({"all", "array"})
"""Key words before a parenthesis that the parser takes for functions: `<> ALL (...)`, `ARRAY(SELECT ...)`."""

IDENTITY_WORDS = frozenset(
    {"current_catalog", "current_role", "current_schema", "current_user", "session_user", "system_user", "user"}
)
"""Key words that PostgreSQL evaluates to names of the session, even without parentheses."""

SYSTEM_COLUMNS = frozenset({"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"})
"""Columns every table has, about storage and transactions."""

_CASTS_AND_OPERATORS = """
    bpchar bool float4 float8 int2 int4 int8 is_normalized numeric overlaps pg_collation_for text textlike timestamp
    timestamptz varchar interval time timetz array_subscript_handler like_escape similar_to_escape
"""
PLAN_FUNCTIONS = ALLOWED_FUNCTIONS | frozenset(_CASTS_AND_OPERATORS.split())
"""Names that a plan may show as calls: the allowed ones and what PostgreSQL puts in for casts and operators."""

_KEY_WORDS = """
    all and any array as between bit by case cast char character collate decimal distinct else end exclude exists filter
    first following from group groups hashed if ilike in into is isnull last like materialized not notnull null nulls
    numeric on or order over partial partition preceding precision range returning rows select similar some subplan
    symmetric then ties time timestamp to unbounded using values varying varchar when where window with within zone
    interval int4range initplan sublink varying bpchar binary finalize
"""
PLAN_WORDS = frozenset(_KEY_WORDS.split())
"""Key words that a plan may show before a parenthesis."""
