-- What fills missing coordinates: the earliest row of the same block that has them, else the mean of the beat.
CREATE TABLE {schema}._first_date AS
SELECT s.block, min(coalesce(s.date, 'infinity'::timestamp)) AS date
FROM {schema}._source AS s
WHERE s.located
    AND s.block IN (SELECT g.block FROM {schema}._gap AS g WHERE NOT g.located)
    AND (s.date IS NOT NULL OR s.year IN (SELECT m.year FROM {schema}._mode AS m))
GROUP BY s.block;
ANALYZE {schema}._first_date;

CREATE TABLE {schema}._donor AS
SELECT DISTINCT ON (s.block) s.block, s.x_coordinate, s.y_coordinate, s.latitude, s.longitude
FROM {schema}._source AS s
JOIN {schema}._first_date AS f ON f.block = s.block AND f.date = coalesce(s.date, 'infinity'::timestamp)
WHERE s.located AND (s.date IS NOT NULL OR s.year IN (SELECT m.year FROM {schema}._mode AS m))
ORDER BY s.block, s.id;
ANALYZE {schema}._donor;

-- Exact decimals: a mean of floats depends on the order of its rows, and half of all two-row means are rounding ties.
CREATE TABLE {schema}._beat AS
SELECT
    s.beat,
    round(avg(s.x_coordinate::numeric), 0)::double precision AS x_coordinate,
    round(avg(s.y_coordinate::numeric), 0)::double precision AS y_coordinate,
    round(avg(s.latitude::numeric), 9)::double precision AS latitude,
    round(avg(s.longitude::numeric), 9)::double precision AS longitude
FROM {schema}._source AS s
WHERE s.located
    AND s.beat IN (
        SELECT g.beat
        FROM {schema}._gap AS g
        WHERE NOT g.located AND NOT EXISTS (SELECT FROM {schema}._donor AS d WHERE d.block = g.block)
    )
    AND (s.date IS NOT NULL OR s.year IN (SELECT m.year FROM {schema}._mode AS m))
GROUP BY s.beat;

CREATE TABLE {schema}._fill AS
SELECT
    g.id,
    CASE WHEN d.block IS NOT NULL THEN 'block donor' ELSE 'beat mean' END AS rule,
    CASE WHEN d.block IS NOT NULL THEN d.x_coordinate ELSE b.x_coordinate END AS x_coordinate,
    CASE WHEN d.block IS NOT NULL THEN d.y_coordinate ELSE b.y_coordinate END AS y_coordinate,
    CASE WHEN d.block IS NOT NULL THEN d.latitude ELSE b.latitude END AS latitude,
    CASE WHEN d.block IS NOT NULL THEN d.longitude ELSE b.longitude END AS longitude
FROM {schema}._gap AS g
LEFT JOIN {schema}._donor AS d ON d.block = g.block
LEFT JOIN {schema}._beat AS b ON b.beat = g.beat
WHERE NOT g.located
    AND (d.block IS NOT NULL OR b.beat IS NOT NULL)
    AND (g.date IS NOT NULL OR g.year IN (SELECT m.year FROM {schema}._mode AS m));
ANALYZE {schema}._fill;
