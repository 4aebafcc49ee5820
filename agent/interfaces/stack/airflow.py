"""Airflow as three processes of this machine (API server, scheduler, DAG processor) on the embedded server.

Facts behind the settings: the first task start fails when the API server is cold, so it starts first; `catchup` and the
clock are left to the DAGs; SimpleAuthManager reads the passwords we write.
"""

import json
import os
import secrets
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from agent.interfaces.stack.airflow_api import AirflowApi
from agent.interfaces.stack.ports import LOOPBACK, choose_port
from agent.interfaces.stack.services import Service, find_service, require_alive, start_service
from include.errors import TerminalError, TransientError
from include.settings import PROJECT_ROOT, Settings
from include.warehouse import Warehouse, run_bootstrap_role

COMPONENTS = ("api-server", "scheduler", "dag-processor")
OPTIONS = {"scheduler": ("--skip-serve-logs",)}
"""The API server reads the logs from this machine's disk; the log server would listen on every interface."""
USERS = ("admin", "viewer")
START_PATIENCE = 240.0


@dataclass(frozen=True)
class AirflowStack:
    """Airflow under `home` (an absolute folder), served on loopback port `port`."""

    home: Path
    port: int
    keys: Mapping[str, str]
    metadata_url: str

    @property
    def url(self) -> str:
        """Address of the user interface and the API."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def run_dir(self) -> Path:
        """Where the records of the running processes lie."""
        return self.home.parent / "run"

    @cached_property
    def api(self) -> AirflowApi:
        """The REST API, as the admin."""
        return AirflowApi(self.url, user="admin", password=self.keys["admin"])

    @classmethod
    def prepare(cls, *, admin_url: str, settings: Settings) -> "AirflowStack":
        """Return the stack under `settings.home`, its keys and metadata database made where they lack."""
        home = (settings.home / "airflow").absolute()
        home.mkdir(parents=True, exist_ok=True)
        keys = _load_keys(home / "keys.json")
        url = run_bootstrap_role(admin_url, role="airflow", password=keys["database"], database="airflow")
        metadata_url = url.replace("postgresql://", "postgresql+psycopg2://", 1)
        stack = cls(home=home, port=int(keys["port"]), keys=keys, metadata_url=metadata_url)
        if find_service("airflow-api-server", run_dir=stack.run_dir) is None:
            port = choose_port(settings.airflow_port, preferred=stack.port, setting="CRIME_AIRFLOW_PORT")
            stack = replace(stack, port=port, keys={**keys, "port": str(port)})
            _save_secret(home / "keys.json", json.dumps(dict(stack.keys)))
        _save_secret(home / "passwords.json", json.dumps({user: keys[user] for user in USERS}))
        return stack

    def environment(self, *, warehouse: Warehouse, source_url: str, settings: Settings) -> dict[str, str]:
        """Return the environment of every Airflow process."""
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        return inherited | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(PROJECT_ROOT / "dags"),
            "AIRFLOW__CORE__PLUGINS_FOLDER": str(PROJECT_ROOT / "plugins"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
            "AIRFLOW__CORE__PARALLELISM": "4",
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin,viewer:viewer",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(self.home / "passwords.json"),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{self.url}/execution/",
            "AIRFLOW__CORE__FERNET_KEY": self.keys["fernet"],
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": self.metadata_url,
            "AIRFLOW__API__HOST": LOOPBACK,
            "AIRFLOW__API__PORT": str(self.port),
            "AIRFLOW__API__BASE_URL": self.url,
            "AIRFLOW__API__WORKERS": "1",
            "AIRFLOW__API__SECRET_KEY": self.keys["session"],
            "AIRFLOW__API_AUTH__JWT_SECRET": self.keys["jwt"],
            "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "60",
            "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
            "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
            "AIRFLOW_CONN_CHICAGO_WAREHOUSE": _connection(warehouse.owner_url),
            "AIRFLOW_CONN_CHICAGO_READER": _connection(warehouse.reader_url),
            "AIRFLOW_CONN_SOCRATA_CHICAGO": json.dumps({"conn_type": "http", "host": source_url}),
            "CRIME_HOME": str(settings.home.absolute()),
            "CRIME_SCHEDULES": str(settings.schedules).lower(),
            "GX_ANALYTICS_ENABLED": "false",
        }

    def start(self, env: Mapping[str, str], *, progress: Callable[[str], None]) -> None:
        """Migrate the metadata database and start the three processes; returns when the API answers and DAGs can run.

        Raises:
            TerminalError: a process ended by itself, or the API did not answer within four minutes.
        """
        _save_secret(self.home / "env.sh", _exports(env))
        if find_service("airflow-api-server", run_dir=self.run_dir) is None:
            progress("preparing Airflow's metadata database")
            self._run(["db", "migrate"], env)
        api_server = self._start_component("api-server", env)
        progress(f"waiting for Airflow at {self.url}")
        self._wait_healthy(api_server)
        for component in COMPONENTS[1:]:
            self._start_component(component, env)
        self.api.ensure_pool("socrata", slots=4)

    def _start_component(self, component: str, env: Mapping[str, str]) -> Service:
        return start_service(
            f"airflow-{component}",
            argv=[sys.executable, "-m", "airflow", component, *OPTIONS.get(component, ())],
            env=env,
            run_dir=self.run_dir,
            log_dir=self.home.parent / "logs",
            cwd=self.home,
        )

    def _run(self, command: list[str], env: Mapping[str, str]) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "airflow", *command], env=dict(env), cwd=self.home, capture_output=True, text=True
        )
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
            raise TerminalError(f"airflow {' '.join(command)} exited with {done.returncode}:\n{tail}")

    def _wait_healthy(self, api_server: Service) -> None:
        deadline = time.monotonic() + START_PATIENCE
        while time.monotonic() < deadline:
            require_alive(api_server)
            try:
                self.api.health()
            except TransientError:
                time.sleep(1)
                continue
            return
        raise TerminalError(
            f"Airflow's API server did not answer at {self.url} within {START_PATIENCE:.0f} s",
            action=f"read {api_server.log}",
        )


def _exports(env: Mapping[str, str]) -> str:
    """Return what a shell must export so that `airflow` speaks to this stack."""
    ours = ("AIRFLOW", "CRIME_", "GX_")
    lines = [f"export {name}={shlex.quote(value)}" for name, value in sorted(env.items()) if name.startswith(ours)]
    return "\n".join(lines) + "\n"


def _load_keys(path: Path) -> dict[str, str]:
    if path.exists():
        return dict(json.loads(path.read_text()))
    from cryptography.fernet import Fernet

    keys = {name: secrets.token_urlsafe(24) for name in ("database", "session", "jwt")}
    keys |= {user: secrets.token_urlsafe(9) for user in USERS}
    keys |= {"jwt": secrets.token_urlsafe(64), "fernet": Fernet.generate_key().decode(), "port": "8080"}
    _save_secret(path, json.dumps(keys))
    return keys


def _save_secret(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)


def _connection(url: str) -> str:
    parts = conninfo_to_dict(url)
    fields = {"login": "user", "password": "password", "host": "host", "schema": "dbname"}
    values: dict[str, object] = {name: parts.get(key) for name, key in fields.items()}
    return json.dumps({"conn_type": "postgres", "port": int(parts.get("port") or 5432), **values})
