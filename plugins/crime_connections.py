"""The warehouse and the source behind the Airflow connections; called inside tasks and requests only.

It lies in the plugins folder because that is on the path of every Airflow process, the DAG folder only of some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from include.settings import Settings
    from include.warehouse import Warehouse


def warehouse() -> Warehouse:
    """Return the warehouse of the connections `chicago_warehouse` (owner) and `chicago_reader`."""
    from include.warehouse import Warehouse

    reader = _postgres_url("chicago_reader")
    return Warehouse(owner_url=_postgres_url("chicago_warehouse"), reader_url=reader, analyst_url=reader)


def source_settings(url: str | None) -> Settings:
    """Return the settings with the source of `url`, or of the connection `socrata_chicago`.

    The connection's host is the base URL, its password the app token.
    """
    from airflow.sdk import BaseHook
    from pydantic import SecretStr

    from include.settings import get_settings

    connection = BaseHook.get_connection("socrata_chicago")
    update: dict[str, object] = {"source_url": url or connection.host}
    if connection.password:
        update["app_token"] = SecretStr(connection.password)
    return get_settings().model_copy(update=update)


def _postgres_url(conn_id: str) -> str:
    from airflow.providers.postgres.hooks.postgres import PostgresHook
    from psycopg.conninfo import make_conninfo

    found = PostgresHook(postgres_conn_id=conn_id).get_connection(conn_id)
    return make_conninfo(
        host=found.host, port=found.port or 5432, user=found.login, password=found.password, dbname=found.schema
    )
