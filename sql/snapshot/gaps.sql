-- The rows that a rule must fill, found in one scan, and the most frequent timestamp of each year that needs one.
CREATE TABLE {schema}._gap AS
SELECT id, date, year, block, beat, located, code_lost
FROM {schema}._source
WHERE date IS NULL OR NOT located OR code_lost;
ANALYZE {schema}._gap;

CREATE TABLE {schema}._mode AS
SELECT DISTINCT ON (year) year, date
FROM (
    SELECT year, date, count(*) AS cells
    FROM {schema}._source
    WHERE date IS NOT NULL AND year IN (SELECT g.year FROM {schema}._gap AS g WHERE g.date IS NULL)
    GROUP BY year, date
) AS counted
ORDER BY year, cells DESC, date;
ANALYZE {schema}._mode;
