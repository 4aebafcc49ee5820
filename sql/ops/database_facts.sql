SELECT
    current_setting('server_version_num')::integer,
    pg_encoding_to_char(d.encoding),
    d.datcollate,
    d.datctype,
    ARRAY(
        SELECT nspname::text FROM pg_namespace WHERE nspname IN ('raw', 'staging', 'ops', 'public', 'sandbox')
    )
FROM pg_database AS d
WHERE d.datname = current_database()
