-- One function of each kind that the bootstrap revokes from PUBLIC.
SELECT DISTINCT p.proname
FROM pg_proc AS p
WHERE p.pronamespace = 'pg_catalog'::regnamespace
  AND p.proname IN (
      'lo_from_bytea', 'lo_unlink', 'lo_create', 'lowrite', 'set_config', 'pg_sleep', 'pg_notify', 'query_to_xml',
      'ts_stat', 'pg_advisory_lock', 'pg_terminate_backend', 'pg_export_snapshot', 'txid_current'
  )
  AND has_function_privilege('public', p.oid, 'EXECUTE')
ORDER BY p.proname
