-- Functions that write, wait, signal, lock, or run SQL given as text are the owner's alone: PostgreSQL lets everybody
-- call them. Idempotent; only those that this server has. Another administrator than a superuser cannot do it.
DO $$
DECLARE
    target record;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
        RAISE WARNING '% is no superuser: functions stay open to everybody, the guard alone refuses them', current_user;
        RETURN;
    END IF;
    FOR target IN
        SELECT p.oid::pg_catalog.regprocedure AS signature
        FROM pg_catalog.pg_proc AS p
        WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
          AND p.prokind = 'f'
          AND pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
          AND (
              p.proname IN (
                  'set_config', 'pg_notify', 'pg_export_snapshot', 'ts_stat', 'ts_rewrite', 'lowrite', 'loread',
                  'txid_current', 'txid_current_if_assigned', 'pg_current_xact_id', 'pg_current_xact_id_if_assigned',
                  'pg_cancel_backend', 'pg_terminate_backend', 'pg_log_backend_memory_contexts',
                  'pg_get_process_memory_contexts', 'pg_safe_snapshot_blocking_pids',
                  'database_to_xml', 'database_to_xmlschema', 'database_to_xml_and_xmlschema'
              )
              OR p.proname ~ '^(lo_|pg_sleep|pg_advisory_|pg_try_advisory_|pg_logical_|pg_replication_)'
              OR p.proname ~ '^(pg_wal_|pg_create_|pg_drop_)'
              OR p.proname ~ '^(query|table|schema|cursor)_to_xml'
              OR p.proname ~ '^pg_(clear|restore)_(relation|attribute|extended)_'
          )
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', target.signature);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO crime_owner', target.signature);
    END LOOP;
    -- Without the language there is no DO block.
    REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
    GRANT USAGE ON LANGUAGE plpgsql TO crime_owner, crime_analyst;
END $$;
