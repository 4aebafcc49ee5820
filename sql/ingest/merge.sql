-- Compare first: rows that brought nothing new are not touched.
WITH compared AS MATERIALIZED (
    SELECT
        t.id,
        CASE
            WHEN r.id IS NULL THEN 'inserted'
            WHEN r.deleted_at IS NOT NULL OR r.content_hash <> t.content_hash THEN 'updated'
            WHEN r.updated_on IS DISTINCT FROM t.updated_on THEN 'restamped'
            ELSE 'unchanged'
        END AS kind
    FROM {typed} AS t
    LEFT JOIN raw.crime AS r USING (id)
),
merged AS (
    INSERT INTO raw.crime AS r ({columns}, content_hash, first_run, last_run)
    SELECT {of_typed}, t.content_hash, {run_id}, {run_id}
    FROM {typed} AS t
    JOIN compared AS c USING (id)
    WHERE c.kind <> 'unchanged'
    ON CONFLICT (id) DO UPDATE
    SET {assignments}, content_hash = excluded.content_hash, last_run = excluded.last_run, deleted_at = NULL
    WHERE r.content_hash <> excluded.content_hash
        OR r.updated_on IS DISTINCT FROM excluded.updated_on
        OR r.deleted_at IS NOT NULL
)
SELECT kind, count(*)
FROM compared
GROUP BY kind;
