SELECT c.relname
FROM pg_class AS c
WHERE c.relnamespace = to_regnamespace(%(schema)s) AND c.relkind IN ('r', 'p')
ORDER BY c.relname
