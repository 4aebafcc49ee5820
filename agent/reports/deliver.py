"""Deliver a built report: the summary as an e-mail with the page attached, and as a message to the webhook."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from include.dataset import DISCLAIMER
from include.errors import UsageError
from include.notify import Attachment, DeliveryRefusedError, post_webhook, send_mail
from include.settings import Settings
from include.warehouse import Warehouse

FIGURES = (("VSR", "vsr"), ("EM", "em"), ("EX", "ex_default"), ("EX robust", "ex_robust"))


def deliver_report(warehouse: Warehouse, report_id: str, *, settings: Settings) -> str:
    """Send the report by every way that is set up and return by which, in words.

    Raises:
        UsageError: there is no such report, or its page is gone.
        DeliveryRefusedError: no way is set up, or the server refused.
        DeliveryError: the server could not be reached; worth a retry.
    """
    path, summary = _load(warehouse, report_id)
    subject = f"Chicago crime agent: {summary['verdict']}"
    text = summary_text(summary)
    ways = []
    if settings.smtp_url and settings.mail_to:
        page = Attachment(name=path.name, content=path.read_bytes(), content_type="text/html")
        ways.append("mail to " + ", ".join(send_mail(settings, subject=subject, text=text, attachments=(page,))))
    if settings.webhook_url:
        post_webhook(settings, text=f"{subject}\n{text}", details={"report_id": report_id})
        ways.append("webhook")
    if not ways:
        raise DeliveryRefusedError(
            "no way of delivery is set up", action="set CRIME_SMTP_URL and CRIME_MAIL_TO, or CRIME_WEBHOOK_URL"
        )
    with warehouse.owner() as conn:
        conn.execute("UPDATE ops.report SET delivered = true WHERE report_id = %s", (report_id,))
    return " and ".join(ways)


def can_deliver(settings: Settings) -> bool:
    """Whether any way of delivery is set up."""
    return bool((settings.smtp_url and settings.mail_to) or settings.webhook_url)


def summary_text(summary: Mapping[str, Any]) -> str:
    """Return the e-mail's text: the verdict, a block per arm, what moved."""
    lines = [summary["verdict"], ""]
    for arm in summary["arms"]:
        figures = ", ".join(f"{label} {_share(arm[name])}" for label, name in FIGURES)
        lines.append(f"{arm['arm']}: {figures}")
        for label, name in (("lost", "regressions"), ("fixed", "fixed"), ("flaky", "flaky")):
            if arm[name]:
                lines.append(f"  {label}: {', '.join(map(str, arm[name]))}")
        if arm["failed_runs"]:
            lines.append(f"  runs that failed: {arm['failed_runs']}")
    if summary["moved_golds"]:
        lines.append(f"golds that moved with the data: {', '.join(map(str, summary['moved_golds']))}")
    if summary["stale"]:
        lines.append("the newest incident is older than the freshness limit: has the source stopped updating?")
    return "\n".join([*lines, "", DISCLAIMER])


def _load(warehouse: Warehouse, report_id: str) -> tuple[Path, Mapping[str, Any]]:
    with warehouse.owner() as conn:
        row = conn.execute("SELECT path, summary FROM ops.report WHERE report_id = %s", (report_id,)).fetchone()
    if row is None:
        raise UsageError(f"there is no report {report_id!r}", action="build one: crime report")
    path = Path(row[0])
    if not path.is_file():
        raise UsageError(f"the page of {report_id} is no longer at {path}", action="build it again: crime report")
    return path, row[1]


def _share(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1%}"
