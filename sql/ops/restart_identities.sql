-- Each identity goes on behind the largest value that was restored.
DO $$
DECLARE
    target record;
BEGIN
    FOR target IN
        SELECT c.oid::regclass AS relation, a.attname
        FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'ops'::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''
    LOOP
        EXECUTE format(
            'SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 1), max(%I) IS NOT NULL) FROM %s',
            target.relation, target.attname, target.attname, target.attname, target.relation
        );
    END LOOP;
END $$;
