"""The few calls of Airflow's REST API that the local stack needs."""

import time
from dataclasses import dataclass
from typing import Any

import requests

from include.errors import TerminalError, TransientError

TIMEOUT = 30.0
TOKEN_SECONDS = 1800.0


@dataclass(frozen=True)
class DagRun:
    """A DAG run as the API shows it."""

    dag_id: str
    run_id: str
    state: str
    run_type: str
    run_after: str

    @property
    def ended(self) -> bool:
        """Whether it succeeded or failed."""
        return self.state in ("success", "failed")


class AirflowApi:
    """A client of one Airflow, authenticated by user and password."""

    def __init__(self, url: str, *, user: str, password: str) -> None:
        self._url = url
        self._login = {"username": user, "password": password}
        self._token = ""
        self._token_at = 0.0

    def health(self) -> dict[str, Any]:
        """Return the health of the components; raises `TransientError` while nothing answers."""
        return self._send("GET", "/api/v2/monitor/health", anonymous=True)

    def ensure_pool(self, name: str, *, slots: int) -> None:
        """Create the pool if it lacks."""
        pools = self._send("GET", "/api/v2/pools?limit=200")["pools"]
        if name not in {pool["name"] for pool in pools}:
            self._send("POST", "/api/v2/pools", body={"name": name, "slots": slots})

    def dag_ids(self) -> frozenset[str]:
        """Return the ids of the DAGs Airflow knows."""
        return frozenset(dag["dag_id"] for dag in self._send("GET", "/api/v2/dags?limit=200")["dags"])

    def import_errors(self) -> tuple[str, ...]:
        """Return the DAG files that could not be imported, with their errors."""
        errors = self._send("GET", "/api/v2/importErrors")["import_errors"]
        return tuple(f"{error['filename']}: {error['stack_trace']}" for error in errors)

    def unpause(self, dag_id: str) -> None:
        """Let the DAG run."""
        self._send("PATCH", f"/api/v2/dags/{dag_id}", body={"is_paused": False})

    def trigger(self, dag_id: str, *, conf: dict[str, Any]) -> DagRun:
        """Start a run by hand."""
        return _dag_run(self._send("POST", f"/api/v2/dags/{dag_id}/dagRuns", body={"logical_date": None, "conf": conf}))

    def dag_run(self, dag_id: str, run_id: str) -> DagRun:
        """Return one run."""
        return _dag_run(self._send("GET", f"/api/v2/dags/{dag_id}/dagRuns/{run_id}"))

    def dag_runs(self, dag_id: str) -> tuple[DagRun, ...]:
        """Return the newest runs of the DAG, newest first."""
        answer = self._send("GET", f"/api/v2/dags/{dag_id}/dagRuns?order_by=-run_after&limit=20")
        return tuple(_dag_run(run) for run in answer["dag_runs"])

    def task_states(self, dag_id: str, run_id: str) -> tuple[tuple[str, str], ...]:
        """Return (task id, state) of the run's task instances, mapped ones with their index."""
        answer = self._send("GET", f"/api/v2/dags/{dag_id}/dagRuns/{run_id}/taskInstances?limit=500")
        return tuple(
            (task["task_id"] + (f"[{task['map_index']}]" if task["map_index"] >= 0 else ""), task["state"] or "waiting")
            for task in answer["task_instances"]
        )

    def _send(self, method: str, path: str, *, body: Any = None, anonymous: bool = False) -> dict[str, Any]:
        headers = {} if anonymous else {"Authorization": f"Bearer {self._bearer()}"}
        try:
            answer = requests.request(method, self._url + path, json=body, headers=headers, timeout=TIMEOUT)
        except requests.RequestException as error:
            raise TransientError(f"Airflow at {self._url} does not answer: {error}", action="crime up") from error
        if answer.status_code >= 500:
            raise TransientError(f"Airflow answered {answer.status_code} to {method} {path}: {answer.text[:300]}")
        if answer.status_code >= 400:
            raise TerminalError(f"Airflow answered {answer.status_code} to {method} {path}: {answer.text[:300]}")
        return dict(answer.json()) if answer.content else {}

    def _bearer(self) -> str:
        if not self._token or time.monotonic() - self._token_at > TOKEN_SECONDS:
            self._token = str(self._send("POST", "/auth/token", body=self._login, anonymous=True)["access_token"])
            self._token_at = time.monotonic()
        return self._token


def _dag_run(fields: dict[str, Any]) -> DagRun:
    return DagRun(
        dag_id=fields["dag_id"],
        run_id=fields["dag_run_id"],
        state=fields["state"],
        run_type=fields["run_type"],
        run_after=fields["run_after"],
    )
