"""Airflow plugin: the latest report and the snapshots in Airflow's navigation, behind Airflow's own login."""

from airflow.api_fastapi.core_api.security import get_user
from airflow.plugins_manager import AirflowPlugin
from fastapi import Depends

from agent.interfaces.web import create_app
from include.warehouse import Warehouse

PREFIX = "/crime"


def open_warehouse() -> Warehouse:
    """Return the warehouse of the Airflow connections; called on each request, never at import."""
    from crime_connections import warehouse

    return warehouse()


def _view(name: str, path: str) -> dict[str, str]:
    return {
        "name": name,
        "href": f"{PREFIX}/{path}",
        "url_route": f"crime-{path}",
        "destination": "nav",
        "category": "browse",
    }


class CrimePlatformPlugin(AirflowPlugin):
    """Mounts the pages at `/crime` and adds their navigation entries."""

    name = "crime_platform"
    fastapi_apps = [  # noqa: RUF012 - Airflow reads plain class attributes
        {
            "app": create_app(open_warehouse, dependencies=[Depends(get_user)]),
            "url_prefix": PREFIX,
            "name": "Chicago crime platform",
        }
    ]
    external_views = [_view("Crime report", "report"), _view("Crime snapshots", "snapshots")]  # noqa: RUF012 - as above
