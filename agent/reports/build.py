"""Build the report: one HTML page that needs no network, and the same figures as JSON beside it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from psycopg.types.json import Jsonb

from agent.benchmark import load_questions, smallest_detectable_loss
from agent.reports.changes import Changes, compare_arm
from agent.reports.charts import trend_svg
from agent.reports.data import ReportData, read_report_data
from agent.reports.paper_tables import paper_tables
from agent.reports.question_groups import question_groups
from agent.reports.verdict import tiles, verdict_line
from include.dataset import DISCLAIMER
from include.settings import Settings
from include.warehouse import Warehouse

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Report:
    """A built report: its id, the page, and the summary that is also the e-mail's text."""

    report_id: str
    path: str
    json_path: str
    summary: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)


def build_report(warehouse: Warehouse, *, settings: Settings, out_dir: Path) -> Report:
    """Build the report of the newest batch, and record it in `ops.report`.

    Without any batch the page says so: a missing run is news too.

    Args:
        warehouse: where `ops` lies.
        settings: the freshness limit.
        out_dir: folder of the page and its JSON; made if it lacks.
    """
    data = read_report_data(warehouse)
    built_at = datetime.now(UTC)
    report_id = f"report_{built_at:%Y%m%dt%H%M%S%f}"
    headline = data.headline
    changes = {arm.arm: compare_arm(arm) for arm in data.arms}
    verdict = verdict_line(data, changes.get(headline.arm) if headline else None)
    summary = _summary(data, verdict=verdict, changes=changes, built_at=built_at, settings=settings)
    page = _render(data, verdict=verdict, changes=changes, built_at=built_at, report_id=report_id)
    out_dir.mkdir(parents=True, exist_ok=True)
    path, json_path = out_dir / f"{report_id}.html", out_dir / f"{report_id}.json"
    path.write_text(page, encoding="utf-8")
    json_path.write_text(json.dumps(summary, indent=2, default=str, ensure_ascii=False) + "\n", encoding="utf-8")
    report = Report(str(report_id), str(path.absolute()), str(json_path.absolute()), summary)
    _record(warehouse, report, data=data)
    return report


def _summary(
    data: ReportData, *, verdict: str, changes: Mapping[str, Changes], built_at: datetime, settings: Settings
) -> dict[str, Any]:
    age = _data_age_days(data, built_at)
    return {
        "verdict": verdict,
        "built_at": built_at.isoformat(),
        "batch_id": data.batch["batch_id"] if data.batch else None,
        "snapshot_id": data.snapshot["snapshot_id"] if data.snapshot else None,
        "stale": age is not None and age > settings.freshness_days,
        "arms": [
            {
                "arm": arm.arm,
                "repeats": len(arm.finished),
                "failed_runs": len(arm.runs) - len(arm.finished),
                **{name: arm.figure(name) for name in ("vsr", "em", "ex", "sq", "ex_default", "ex_robust", "cost")},
                "regressions": [change.question_id for change in changes[arm.arm].regressions],
                "fixed": [change.question_id for change in changes[arm.arm].fixed],
                "flaky": list(changes[arm.arm].flaky),
                "p_value": changes[arm.arm].p_value,
            }
            for arm in data.arms
        ],
        "moved_golds": list(data.moved_golds),
    }


def _render(
    data: ReportData, *, verdict: str, changes: Mapping[str, Changes], built_at: datetime, report_id: str
) -> str:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda value: "not measured" if value is None else f"{value:.1%}"
    questions = {question.id: question for question in load_questions().questions}
    headline = data.headline
    return environment.get_template("report.html").render(
        data=data,
        verdict=verdict,
        tiles=tiles(headline) if headline else (),
        headline=headline,
        changes=changes,
        trend=trend_svg(data.trend) if len({row["at"] for row in data.trend}) > 1 else None,
        tables=paper_tables(data.arms),
        questions=questions,
        question_groups=question_groups(data.arms, questions=questions),
        detectable=smallest_detectable_loss(),
        disclaimer=DISCLAIMER,
        built_at=built_at,
        report_id=report_id,
        stage_of=lambda run: run["stage"] or "none",
    )


def _data_age_days(data: ReportData, built_at: datetime) -> int | None:
    newest = data.snapshot["newest_incident"] if data.snapshot else None
    return None if newest is None else (built_at.replace(tzinfo=None) - newest).days


def _record(warehouse: Warehouse, report: Report, *, data: ReportData) -> None:
    with warehouse.owner() as conn:
        conn.execute(
            "INSERT INTO ops.report (report_id, batch_id, snapshot_id, path, summary) VALUES (%s, %s, %s, %s, %s)",
            (
                report.report_id,
                data.batch["batch_id"] if data.batch else None,
                data.snapshot["snapshot_id"] if data.snapshot else None,
                report.path,
                Jsonb(report.summary, dumps=lambda value: json.dumps(value, default=str)),
            ),
        )
