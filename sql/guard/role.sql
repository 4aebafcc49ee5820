-- What the connected role could do beyond reading the snapshots, one finding a row; none = harmless.
-- Parameter: a regular expression of the schemas whose tables it may read.
WITH me AS (
    SELECT r.* FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user
),
outside AS (
    SELECT c.oid, c.relkind, n.nspname, c.relname
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND n.nspname !~ '^pg_(toast|temp)'
),
attribute AS (
    SELECT a.finding
    FROM me
    CROSS JOIN LATERAL (
        VALUES
            (me.rolsuper, 'is a superuser'),
            (me.rolcreaterole, 'may create roles'),
            (me.rolcreatedb, 'may create databases'),
            (me.rolreplication, 'may replicate'),
            (me.rolbypassrls, 'passes row level security'),
            (session_user <> current_user, 'is not the role that logged in')
    ) AS a (is_so, finding)
    WHERE a.is_so
),
membership AS (
    SELECT format('is a member of %%s', g.rolname) AS finding
    FROM pg_catalog.pg_auth_members AS m
    JOIN pg_catalog.pg_roles AS g ON g.oid = m.roleid
    JOIN me ON me.oid = m.member
),
ownership AS (
    SELECT format('owns %%s objects', count(*)) AS finding
    FROM pg_catalog.pg_shdepend AS d
    JOIN me ON me.oid = d.refobjid
    WHERE d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass AND d.deptype = 'o'
    HAVING count(*) > 0
),
written AS (
    SELECT format('may write %%I.%%I', nspname, relname) AS finding
    FROM outside
    WHERE CASE
        WHEN relkind = 'S' THEN has_sequence_privilege(oid, 'USAGE, UPDATE')
        WHEN relkind IN ('r', 'p', 'v', 'm', 'f') THEN
            has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            OR has_any_column_privilege(oid, 'INSERT, UPDATE, REFERENCES')
    END
),
readable AS (
    SELECT format('may read %%I.%%I', nspname, relname) AS finding
    FROM outside
    WHERE nspname !~ %(schemas)s
      AND relkind IN ('r', 'p', 'v', 'm', 'f')
      AND has_schema_privilege(nspname, 'USAGE')
      AND has_any_column_privilege(oid, 'SELECT')
),
creation AS (
    SELECT format('may create objects in the schema %%I', nspname) AS finding
    FROM pg_catalog.pg_namespace
    WHERE has_schema_privilege(oid, 'CREATE')
    UNION ALL
    SELECT format('has the privilege %%s on the database', p.privilege)
    FROM (VALUES ('CREATE'), ('TEMPORARY')) AS p (privilege)
    WHERE has_database_privilege(current_database(), p.privilege)
    UNION ALL
    SELECT format('may use the foreign server %%I', s.srvname)
    FROM pg_catalog.pg_foreign_server AS s
    WHERE has_server_privilege(s.oid, 'USAGE')
),
dangerous AS (
    SELECT DISTINCT format('may call %%s()', p.proname) AS finding
    FROM pg_catalog.pg_proc AS p
    JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
    WHERE has_function_privilege(p.oid, 'EXECUTE')
      AND (
          p.proname IN (
              'set_config', 'pg_notify', 'pg_export_snapshot', 'ts_stat', 'ts_rewrite', 'lowrite', 'loread',
              'pg_cancel_backend', 'pg_terminate_backend', 'pg_reload_conf', 'pg_rotate_logfile', 'pg_stat_file',
              'pg_switch_wal', 'crosstab'
          )
          OR p.proname ~ '^(lo_|pg_sleep|pg_advisory_|pg_try_advisory_|pg_read_|pg_ls_|pg_file_|dblink)'
          OR p.proname ~ '^(query|table|schema|cursor|database)_to_xml'
          OR (p.prosecdef AND n.nspname <> 'pg_catalog')
      )
      -- It is open to all, but looks for a superuser itself.
      AND p.proname <> 'pg_read_file_old'
      AND has_schema_privilege(n.oid, 'USAGE')
)
SELECT finding FROM attribute
UNION ALL SELECT finding FROM membership
UNION ALL SELECT finding FROM ownership
UNION ALL SELECT finding FROM written
UNION ALL SELECT finding FROM readable
UNION ALL SELECT finding FROM creation
UNION ALL SELECT finding FROM dangerous
ORDER BY finding
