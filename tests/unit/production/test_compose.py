"""The production form as far as it can be checked without an engine: form, names, versions, secrets."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from include.settings import PROJECT_ROOT, Settings

COMPOSE = PROJECT_ROOT / "docker-compose.yaml"
DOCKERFILE = (PROJECT_ROOT / "Dockerfile").read_text()
BIN = Path(sys.executable).parent
DOCUMENT: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
SERVICES: dict[str, Any] = DOCUMENT["services"]
AIRFLOW = {name: service for name, service in SERVICES.items() if name.startswith("airflow-")}
SHARED: dict[str, str] = DOCUMENT["x-airflow"]["environment"]


def example() -> dict[str, str]:
    lines = (PROJECT_ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))


def locked() -> dict[str, str]:
    lines = (PROJECT_ROOT / "requirements.txt").read_text().splitlines()
    return dict(re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==([\w.]+)", "\n".join(lines), re.MULTILINE))


def run(*command: str) -> str:
    program = BIN / command[0]
    if not program.exists():
        pytest.skip(f"{command[0]} is not installed: `make setup` installs it")
    done = subprocess.run([program, *command[1:]], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    assert run("hadolint", "Dockerfile") == ""


def test_the_compose_file_has_the_form_of_the_specification() -> None:
    assert run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yaml") == ""


def test_every_variable_of_the_compose_file_is_in_the_example() -> None:
    named = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", COMPOSE.read_text()))
    assert named == set(example())


def test_needed_variables_stop_the_start_and_have_no_default() -> None:
    needed = set(re.findall(r"\$\{([A-Z_]+):\?", COMPOSE.read_text()))
    assert {name for name in example() if name.endswith(("_PASSWORD", "_SECRET", "_SECRET_KEY", "_FERNET_KEY"))} - {
        "AIRFLOW_SECRET_KEY"
    } <= needed
    assert "AIRFLOW_SECRET_KEY" in needed
    assert all(example()[name] == "" for name in needed)


def test_no_secret_is_written_down() -> None:
    """Every password, key, secret and token in the file comes from a variable."""
    for name, service in SERVICES.items():
        for variable, value in (service.get("environment") or {}).items():
            if re.search(r"PASSWORD|SECRET|_KEY|TOKEN|FERNET", variable):
                assert re.fullmatch(r"\$\{[A-Z_]+:[?-][^}]*\}", str(value)), f"{name}: {variable}"


def test_urls_carry_passwords_only_as_variables() -> None:
    for value in map(str, SHARED.values()):
        assert not re.search(r"://[^:/]+:(?!\$\{)[^@/]+@", value)


def test_the_variables_of_the_platform_are_settings() -> None:
    fields = {f"CRIME_{name.upper()}" for name in Settings.model_fields}
    environments = [service.get("environment") or {} for service in SERVICES.values()]
    named = {name for environment in environments for name in environment if name.startswith("CRIME_")}
    assert named <= fields
    for key in ("GROQ_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        assert key in SHARED


def test_empty_optional_variables_count_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SHARED.items():
        if re.fullmatch(r"\$\{[A-Z_]+:-\}", str(value)):
            monkeypatch.setenv(name, "")
    settings = Settings(_env_file=None)
    assert settings.groq_api_key is None
    assert settings.openai_base_url is None
    assert settings.mail_from == Settings.model_fields["mail_from"].default


def test_connections_are_those_the_dags_use() -> None:
    files = (path for folder in ("dags", "plugins") for path in (PROJECT_ROOT / folder).rglob("*.py"))
    text = "".join(path.read_text() for path in files)
    used = {name.upper() for name in re.findall(r'"((?:chicago|socrata)_\w+)"', text)}
    given = {name.removeprefix("AIRFLOW_CONN_") for name in SHARED if name.startswith("AIRFLOW_CONN_")}
    assert given == used == {"CHICAGO_WAREHOUSE", "CHICAGO_READER", "SOCRATA_CHICAGO"}


def test_the_source_connection_is_json_that_airflow_reads() -> None:
    text = re.sub(r"\$\{[^}]*\}", "token", SHARED["AIRFLOW_CONN_SOCRATA_CHICAGO"])
    assert json.loads(text)["host"] == Settings.model_fields["source_url"].default


@pytest.mark.parametrize("component", ["apiserver", "scheduler", "dag-processor", "triggerer", "worker", "init"])
def test_every_component_shares_image_and_environment(component: str) -> None:
    service = AIRFLOW[f"airflow-{component}"]
    assert service["image"] == DOCUMENT["x-airflow"]["image"]
    assert SHARED.items() <= service["environment"].items()
    assert ("healthcheck" in service) == (component != "init")


def test_commands_are_those_of_airflow_3() -> None:
    """Names as `airflow --help` lists them; the webserver of Airflow 2 is gone."""
    commands = {name: service["command"] for name, service in AIRFLOW.items() if name != "airflow-init"}
    assert commands == {
        "airflow-apiserver": ["api-server"],
        "airflow-scheduler": ["scheduler"],
        "airflow-dag-processor": ["dag-processor"],
        "airflow-triggerer": ["triggerer"],
        "airflow-worker": ["celery", "worker", "--concurrency", "4"],
    }


def test_start_waits_for_databases_and_migrations() -> None:
    assert SERVICES["airflow-init"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    for name, service in AIRFLOW.items():
        if name != "airflow-init":
            assert service["depends_on"]["airflow-init"]["condition"] == "service_completed_successfully"
            assert service["depends_on"]["redis"]["condition"] == "service_healthy"
    steps = SERVICES["airflow-init"]["command"][0]
    assert steps.index("crime bootstrap") < steps.index("airflow db migrate") < steps.index("airflow users create")
    assert re.search(r"airflow pools set socrata \d", steps)


def test_postgresql_is_made_as_the_warehouse_needs_it() -> None:
    postgres = SERVICES["postgres"]
    major = int(re.fullmatch(r"postgres:(\d+)\.\d+-\w+", postgres["image"]).group(1))  # type: ignore[union-attr]
    assert postgres["environment"]["POSTGRES_INITDB_ARGS"] == "--encoding=UTF8 --locale=C"
    # From 18 on the image keeps its data in a folder of the major version below this path.
    assert major >= 18
    assert postgres["volumes"] == ["postgres-data:/var/lib/postgresql"]
    assert "ports" not in postgres
    assert "ports" not in SERVICES["redis"]


def test_ports_are_open_on_the_loopback_interface_only() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_mounted_folders_belong_to_the_image_user() -> None:
    """A named volume takes over the owner of the folder in the image; a folder that is not there would be root's."""
    folders = [volume.split(":")[1] for volume in DOCUMENT["x-airflow"]["volumes"]]
    made = re.search(r"mkdir -p ([^\\\n]+)", DOCKERFILE).group(1).split()  # type: ignore[union-attr]
    owned = re.search(r"chown airflow:airflow ([^\\\n]+)", DOCKERFILE).group(1).split()  # type: ignore[union-attr]
    assert set(folders) <= set(made) & set(owned)


def test_the_image_does_not_run_as_root() -> None:
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE)[-1].split(":")[0] not in ("root", "0")


def test_the_image_has_a_python_that_the_package_takes() -> None:
    version = re.search(r"^FROM python:([\d.]+)", DOCKERFILE, re.MULTILINE).group(1)  # type: ignore[union-attr]
    project = (PROJECT_ROOT / "pyproject.toml").read_text()
    wanted = re.search(r'^requires-python = "(.+)"', project, re.MULTILINE).group(1)  # type: ignore[union-attr]
    assert SpecifierSet(wanted).contains(version)


def test_every_image_is_pinned_to_a_patch_release() -> None:
    images = [service["image"] for service in SERVICES.values()] + re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert all(re.search(r":\d+\.\d+(\.\d+)?(-[\w-]+)?$", image) for image in images)


def test_every_dependency_is_locked_to_one_version() -> None:
    lines = [line for line in (PROJECT_ROOT / "requirements.txt").read_text().splitlines() if re.match(r"\w", line)]
    for line in lines:
        specifiers = [spec.operator for spec in Requirement(line.split(" \\")[0].split("  #")[0]).specifier]
        assert specifiers == ["=="], line


@pytest.mark.parametrize("package", ["psycopg2-binary", "asyncpg", "redis", "apache-airflow-providers-fab"])
def test_what_the_configuration_needs_is_locked(package: str) -> None:
    assert package in locked()


def test_the_image_gets_everything_the_product_is_made_of() -> None:
    copied = set(re.findall(r"^COPY (\w+) \w+$", DOCKERFILE, re.MULTILINE))
    assert copied == {"include", "agent", "sql", "dags", "plugins"}
    ignored = (PROJECT_ROOT / ".dockerignore").read_text().split()
    assert {".env", "var", ".git", ".venv"} <= set(ignored)
    assert not copied & set(ignored)


@pytest.mark.airflow
def test_the_executor_of_the_compose_file_loads() -> None:
    executor = importlib.import_module("airflow.providers.celery.executors.celery_executor")
    assert executor.__name__.rsplit(".", 1)[0] == "airflow.providers.celery.executors"
    assert hasattr(executor, SHARED["AIRFLOW__CORE__EXECUTOR"])
