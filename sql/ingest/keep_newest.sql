-- An id can come twice when it moved between two pages: its newest version stays.
DELETE FROM {typed} AS t
USING (
    SELECT ctid, row_number() OVER (PARTITION BY id ORDER BY source_updated_at DESC NULLS LAST, ctid DESC) AS place
    FROM {typed}
    WHERE id IN (SELECT id FROM {typed} GROUP BY id HAVING count(*) > 1)
) AS ranked
WHERE t.ctid = ranked.ctid AND ranked.place > 1;
