"""The weekly report: read from `ops`, written as one self-contained page and its JSON, then delivered."""

from agent.reports.build import Report, build_report
from agent.reports.deliver import can_deliver, deliver_report

__all__ = ["Report", "build_report", "can_deliver", "deliver_report"]
