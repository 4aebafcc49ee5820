"""The web pages, mounted inside Airflow by the plugin."""

from agent.interfaces.web.app import create_app

__all__ = ["create_app"]
