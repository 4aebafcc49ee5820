-- The tables of one schema as a prompt needs them: columns, types, keys, comments, and the values of columns with few.
SELECT c.relname                                      AS table_name,
       obj_description(c.oid, 'pg_class')             AS table_comment,
       quote_ident(a.attname)                         AS column_name,
       format_type(a.atttypid, a.atttypmod)           AS column_type,
       col_description(c.oid, a.attnum)               AS column_comment,
       COALESCE(k.is_primary, false)                  AS is_primary,
       k.refers_to,
       v.stored_values
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN LATERAL (
    SELECT bool_or(o.contype = 'p') AS is_primary,
           max(r.relname || '(' || quote_ident(f.attname) || ')') AS refers_to
    FROM pg_constraint o
    LEFT JOIN pg_class r ON r.oid = o.confrelid
    LEFT JOIN pg_attribute f ON f.attrelid = o.confrelid AND f.attnum = o.confkey[1]
    WHERE o.conrelid = c.oid AND o.contype IN ('p', 'f') AND o.conkey = ARRAY[a.attnum]
) k ON true
LEFT JOIN LATERAL (
    SELECT array_agg(s.value ORDER BY s.value) AS stored_values
    FROM pg_stats t
    CROSS JOIN LATERAL unnest(t.most_common_vals::text::text[]) AS s (value)
    WHERE t.schemaname = n.nspname AND t.tablename = c.relname AND t.attname = a.attname
      AND a.atttypid = 'text'::regtype AND t.n_distinct BETWEEN 1 AND 40
) v ON true
WHERE n.nspname = %(schema)s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY (SELECT count(*) FROM pg_constraint o WHERE o.conrelid = c.oid AND o.contype = 'f') DESC, c.relname, a.attnum
