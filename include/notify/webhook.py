"""One message to a webhook."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests

from include.notify.errors import DeliveryError, DeliveryRefusedError
from include.settings import Settings

TIMEOUT = 30.0
"""Seconds."""
_TRY_AGAIN = 429


def post_webhook(settings: Settings, *, text: str, details: Mapping[str, Any] | None = None) -> None:
    """Post `{"text": ..., **details}` as JSON to `settings.webhook_url`; chat services show the text.

    Raises:
        DeliveryRefusedError: when no webhook is set, or it refuses the message.
        DeliveryError: when it cannot be reached, fails or asks to come back later.
    """
    if settings.webhook_url is None:
        raise DeliveryRefusedError("no webhook is set", action="set CRIME_WEBHOOK_URL")
    # The address of a webhook is its secret: errors name the host alone.
    host = urlsplit(settings.webhook_url).hostname
    try:
        response = requests.post(settings.webhook_url, json={"text": text, **(details or {})}, timeout=TIMEOUT)
    except requests.RequestException as error:
        raise DeliveryError(
            f"the webhook at {host} cannot be reached: {type(error).__name__}", action="check CRIME_WEBHOOK_URL"
        ) from None
    status = response.status_code
    if status == _TRY_AGAIN or status >= requests.codes.server_error:
        raise DeliveryError(
            f"the webhook at {host} answered {status}", action="it is tried again with the next message"
        )
    if not response.ok:
        raise DeliveryRefusedError(f"the webhook at {host} refused with {status}", action="check CRIME_WEBHOOK_URL")
