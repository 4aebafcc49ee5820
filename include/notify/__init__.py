"""Delivery: e-mail over SMTP, and webhooks."""

from include.notify.alert import Delivered, send_alert
from include.notify.errors import DeliveryError, DeliveryRefusedError
from include.notify.mail import Attachment, send_mail
from include.notify.webhook import post_webhook

__all__ = [
    "Attachment",
    "Delivered",
    "DeliveryError",
    "DeliveryRefusedError",
    "post_webhook",
    "send_alert",
    "send_mail",
]
