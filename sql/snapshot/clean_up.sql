-- What only the build needed.
DROP VIEW {schema}._source;
DROP TABLE {schema}._value, {schema}._crime_type, {schema}._location, {schema}._gap, {schema}._mode,
    {schema}._first_date, {schema}._donor, {schema}._beat, {schema}._fill, {schema}._rejected;
