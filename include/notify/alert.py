"""An alert by every way that is set up."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from include.errors import PlatformError
from include.notify.mail import send_mail
from include.notify.webhook import post_webhook
from include.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Delivered:
    """Where an alert went (`mail`, `webhook`), and what failed, by way."""

    ways: tuple[str, ...]
    failures: dict[str, str]


def send_alert(settings: Settings, *, subject: str, text: str, details: Mapping[str, Any] | None = None) -> Delivered:
    """Send an alert by e-mail and webhook, whichever is set; a failure of one does not keep back the other.

    An alert speaks about a failure: it does not raise one of its own, but logs it and returns it.
    """
    senders: dict[str, Callable[[], object]] = {}
    if settings.smtp_url and settings.mail_to:
        senders["mail"] = lambda: send_mail(settings, subject=subject, text=text)
    if settings.webhook_url:
        senders["webhook"] = lambda: post_webhook(settings, text=f"{subject}\n{text}", details=details)
    failures: dict[str, str] = {}
    for way, send in senders.items():
        try:
            send()
        except PlatformError as error:
            log.error("alert %r not delivered by %s: %s", subject, way, error)
            failures[way] = str(error)
    return Delivered(tuple(way for way in senders if way not in failures), failures)
