"""What parsing the DAG folder does and does not do: schedules on and off, no heavy import, no connection."""

import sys

import pytest

from include.settings import PROJECT_ROOT

HEAVY = (
    "pandas", "numpy", "pyarrow", "great_expectations", "altair", "vl_convert", "langchain", "langchain_core",
    "langgraph", "psycopg", "psycopg2", "sqlglot", "requests", "sodapy", "agent", "airflow.providers.postgres.hooks",
)  # fmt: skip
SECONDS = 5.0


def _under(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_parsing_is_light(parsed, record_property, capsys):
    facts = parsed()
    with capsys.disabled():
        sys.stdout.write(f"\nDAG folder parsed in {facts['seconds']:.2f} s\n")
    record_property("parse_seconds", facts["seconds"])
    assert facts["errors"] == {}
    assert facts["connections"] == []
    assert [name for name in facts["imported"] if any(_under(name, heavy) for heavy in HEAVY)] == []
    assert facts["seconds"] < SECONDS


@pytest.mark.parametrize(
    ("dag_id", "kind", "cron", "assets"),
    [
        ("ingest_chicago_crime", "CronTriggerTimetable", "0 6 * * 1", []),
        ("benchmark_agent", "AssetOrTimeSchedule", "30 3 * * *", ["crime_snapshot"]),
        ("report_benchmark", "AssetOrTimeSchedule", "0 9 * * 1", ["benchmark_run"]),
        ("maintain_warehouse", "CronTriggerTimetable", "0 5 * * 0", []),
    ],
)
def test_schedules_follow_the_clock_of_chicago(parsed, dag_id, kind, cron, assets):
    expected = {"kind": kind, "cron": cron, "timezone": "America/Chicago", "assets": assets}
    assert parsed()["schedules"][dag_id] == expected


@pytest.mark.parametrize(
    ("dag_id", "kind", "assets"),
    [
        ("ingest_chicago_crime", "NullTimetable", []),
        ("benchmark_agent", "AssetTriggeredTimetable", ["crime_snapshot"]),
        ("report_benchmark", "AssetTriggeredTimetable", ["benchmark_run"]),
        ("maintain_warehouse", "NullTimetable", []),
    ],
)
def test_without_schedules_only_assets_and_triggers_start_runs(parsed, dag_id, kind, assets):
    seen = parsed(CRIME_SCHEDULES="false")["schedules"][dag_id]
    assert (seen["kind"], seen["cron"], seen["assets"]) == (kind, None, assets)


def test_dag_files_only_declare():
    files = sorted((PROJECT_ROOT / "dags").glob("*.py"))
    assert len(files) == 4
    assert {path.name: _lines(path) for path in files if _lines(path) >= 60} == {}


def test_dags_use_the_public_authoring_interface():
    for path in (PROJECT_ROOT / "dags").rglob("*.py"):
        for line in path.read_text().splitlines():
            if line.strip().startswith(("from airflow", "import airflow")):
                assert line.split()[1].startswith(("airflow.sdk", "airflow.providers.postgres.hooks")), (
                    f"{path}: {line}"
                )


def _lines(path):
    return len(path.read_text().splitlines())
