-- 0 when a valid primary key on "ID" answers it; a count otherwise.
SELECT
    CASE
        WHEN EXISTS (
            SELECT
            FROM pg_index AS i
            JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = format('%%I.crime_incidents', %(schema)s::text)::regclass
              AND i.indisprimary AND i.indisvalid AND i.indnkeyatts = 1 AND a.attname = 'ID'
        ) THEN 0
        ELSE (SELECT count(*) - count(DISTINCT "ID") FROM {schema}.crime_incidents)
    END;
