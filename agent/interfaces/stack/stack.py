"""Up and down: the embedded server, a source, and Airflow on this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.interfaces.stack.airflow import AirflowStack
from agent.interfaces.stack.services import stop_services
from agent.interfaces.stack.simulator import resume_demo_source
from include.errors import UsageError
from include.settings import Settings
from include.warehouse import EmbeddedServer, Warehouse, address, prepare_warehouse, run_bootstrap_role


@dataclass(frozen=True)
class StackInfo:
    """What runs: addresses and where the passwords lie."""

    airflow_url: str
    passwords_file: str
    log_dir: str
    postgresql_log: str
    warehouse: Warehouse
    airflow: AirflowStack


def run_up(settings: Settings, *, source_url: str | None = None, progress: Callable[[str], None]) -> StackInfo:
    """Start what does not run yet: the embedded server, the warehouse's schemas and roles, Airflow.

    A home that holds a demo gets the demo's stack: its simulated source, and no schedule. The clock would at once start
    the last scheduled ingestion, from a source that is not the warehouse's.

    Args:
        settings: `schedules` decides whether the DAGs follow the clock.
        source_url: base URL of the source the DAGs pull from; none = the demo's if there was one, else
            `settings.source_url`.
        progress: told each step.

    Raises:
        UsageError: a configured port is in use.
        TerminalError: a process did not start; the message ends with its log.
    """
    demo = resume_demo_source(settings) if source_url is None else None
    if demo is not None:
        progress(
            "this home holds a demo: its source is simulated, and no schedule runs; set CRIME_HOME for another one"
        )
        settings, source_url = settings.model_copy(update={"schedules": False}), demo.url
    progress("starting PostgreSQL")
    server = EmbeddedServer(settings.home, port=settings.embedded_port).start()
    warehouse = prepare_warehouse(settings)
    airflow = AirflowStack.prepare(admin_url=server.admin_url, settings=settings)
    env = airflow.environment(warehouse=warehouse, source_url=source_url or settings.source_url, settings=settings)
    airflow.start(env, progress=progress)
    for note in server.notes:
        progress(note)
    return StackInfo(
        airflow_url=airflow.url,
        passwords_file=str(airflow.home / "passwords.json"),
        log_dir=str(settings.home / "logs"),
        postgresql_log=str(server.log_file),
        warehouse=warehouse,
        airflow=airflow,
    )


def run_warehouse_bootstrap(settings: Settings) -> dict[str, str]:
    """Bring the warehouse to the state this version needs; with `airflow_db_password`, also Airflow's own database.

    Raises:
        UsageError: `airflow_db_password` is set but `admin_url` is not.
    """
    done = {"warehouse": address(prepare_warehouse(settings).owner_url)}
    if settings.airflow_db_password is not None:
        if settings.admin_url is None:
            raise UsageError("CRIME_AIRFLOW_DB_PASSWORD is set but CRIME_ADMIN_URL is not", action="set both or none")
        password = settings.airflow_db_password.get_secret_value()
        url = run_bootstrap_role(settings.admin_url, role="airflow", password=password, database="airflow")
        done["airflow"] = address(url)
    return done


def run_down(settings: Settings, *, purge: bool = False) -> tuple[str, ...]:
    """Stop Airflow, the simulator and the embedded server; returns the names of what ran.

    Args:
        settings: `home` says which stack.
        purge: also delete the server's data, which as root may lie outside the home folder.
    """
    stopped = list(stop_services(run_dir=run_dir(settings)))
    server = EmbeddedServer(settings.home)
    if server.stop():
        stopped.append("postgresql")
    if purge:
        server.destroy()
    return tuple(stopped)


def run_dir(settings: Settings) -> Path:
    """Where the records of the running processes lie."""
    return settings.home.absolute() / "run"
