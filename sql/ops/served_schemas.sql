-- The schemas that the views of public read from.
SELECT DISTINCT source_schema.nspname
FROM pg_class AS v
JOIN pg_rewrite AS r ON r.ev_class = v.oid
JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
JOIN pg_class AS source ON source.oid = d.refobjid AND source.oid <> v.oid
JOIN pg_namespace AS source_schema ON source_schema.oid = source.relnamespace
WHERE v.relnamespace = 'public'::regnamespace AND v.relname = ANY (%(views)s)
