SELECT a.attname, col_description(a.attrelid, a.attnum)
FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %(schema)s AND c.relname = %(relation)s AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
