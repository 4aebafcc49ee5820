ANALYZE {schema}.crime_incidents;
ANALYZE {schema}.district_names;
ANALYZE {schema}.community_area_names;
ANALYZE {schema}.ward_names;
