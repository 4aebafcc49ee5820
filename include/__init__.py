"""The pipeline library: source, warehouse, ingestion, quality, delivery. Imports no Airflow and nothing of `agent`."""
