-- The tables of ops with their columns and the tables they refer to. The list of migrations is not part of a backup's data.
SELECT
    c.relname::text,
    ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        ORDER BY a.attnum
    ),
    ARRAY(
        SELECT DISTINCT target.relname::text
        FROM pg_constraint AS f
        JOIN pg_class AS target ON target.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid
          AND target.relnamespace = 'ops'::regnamespace
    )
FROM pg_class AS c
WHERE c.relnamespace = 'ops'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_version'
ORDER BY c.relname
