"""The text-to-SQL agent, its benchmark, reports and interfaces. Imports no Airflow."""
