# One image for every service of docker-compose.yaml: Airflow with the platform installed beside it.
FROM python:3.11.14-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    AIRFLOW_HOME=/opt/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/crime/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/crime/plugins \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    CRIME_HOME=/opt/crime-data \
    GX_ANALYTICS_ENABLED=false

WORKDIR /opt/crime

COPY requirements.txt ./
# Bytecode is compiled here: without it every Airflow process compiles the world anew at start.
RUN pip install --no-cache-dir --compile -r requirements.txt

COPY pyproject.toml README.md LICENSE ./
COPY include include
COPY agent agent
COPY sql sql
COPY dags dags
COPY plugins plugins
RUN pip install --no-cache-dir --no-deps --editable . \
    && python -m compileall -q include agent dags plugins \
    && groupadd --gid 50000 airflow \
    && useradd --uid 50000 --gid airflow --home-dir /opt/airflow --create-home airflow \
    && mkdir -p /opt/crime-data /opt/airflow/logs \
    && chown airflow:airflow /opt/crime-data /opt/airflow/logs

USER 50000:50000
ENTRYPOINT ["airflow"]
CMD ["version"]
