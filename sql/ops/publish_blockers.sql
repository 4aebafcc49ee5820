-- Sessions that hold a lock on a view of public, on the record of snapshots, or the publication's own lock.
SELECT DISTINCT
    a.pid,
    coalesce(a.usename, '(unknown)'),
    a.application_name,
    coalesce(a.state, a.backend_type, 'unknown'),
    coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::double precision
FROM pg_locks AS l
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.granted
  AND l.pid <> pg_backend_pid()
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (
      l.relation IN (
          SELECT c.oid FROM pg_class AS c
          WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (%(views)s)
      )
      OR (l.locktype = 'advisory' AND l.classid = 0 AND l.objid = %(lock)s)
  )
ORDER BY a.pid
