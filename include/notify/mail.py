"""One e-mail over SMTP."""

import smtplib
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from include.notify.errors import DeliveryError, DeliveryRefusedError
from include.settings import Settings

TIMEOUT = 30.0
"""Seconds, for each step."""


@dataclass(frozen=True)
class Attachment:
    """A file that goes with the message; with a `content_id` the HTML text can show it as `cid:<content_id>`."""

    name: str
    content: bytes
    content_type: str
    content_id: str = ""


def send_mail(
    settings: Settings,
    *,
    subject: str,
    text: str,
    html: str | None = None,
    attachments: Sequence[Attachment] = (),
    to: str = "",
) -> tuple[str, ...]:
    """Send a message to `to` (else `settings.mail_to`; several addresses with commas) and return the recipients.

    The server is `settings.smtp_url`: `smtp://user:password@host:port` (STARTTLS where offered; always with a
    password) or `smtps://`.

    Raises:
        DeliveryRefusedError: when no server or recipient is set, or the server refuses login, sender or recipients.
        DeliveryError: when the server cannot be reached or asks to come back later.
    """
    recipients = tuple(address.strip() for address in (to or settings.mail_to).split(",") if address.strip())
    if settings.smtp_url is None or not recipients:
        raise DeliveryRefusedError(
            "no mail server or no recipient is set", action="set CRIME_SMTP_URL and CRIME_MAIL_TO"
        )
    message = compose_mail(
        settings.mail_from, recipients, subject=subject, text=text, html=html, attachments=attachments
    )
    try:
        refused = _send(settings.smtp_url, message)
    except (smtplib.SMTPAuthenticationError, smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused) as error:
        raise DeliveryRefusedError(
            f"the mail server refused: {error}", action="check CRIME_SMTP_URL, CRIME_MAIL_TO and CRIME_MAIL_FROM"
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        raise DeliveryError(
            f"the mail server at {_address(settings.smtp_url)} failed: {error}", action="check CRIME_SMTP_URL"
        ) from error
    if refused:
        raise DeliveryRefusedError(
            f"the mail server refused {', '.join(sorted(refused))}", action="check CRIME_MAIL_TO"
        )
    return recipients


def compose_mail(
    sender: str,
    recipients: Sequence[str],
    *,
    subject: str,
    text: str,
    html: str | None = None,
    attachments: Sequence[Attachment] = (),
) -> EmailMessage:
    """Return the message: plain text, with the HTML form and its files beside it."""
    message = EmailMessage()
    # A line break in a header would end it; a subject may quote an error.
    message["Subject"] = " ".join(subject.split())
    message["From"] = sender
    message["To"] = ", ".join(recipients)
    message["Date"] = formatdate(localtime=False)
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2] or "localhost")
    message.set_content(text)
    if html is not None:
        message.add_alternative(html, subtype="html")
    for attachment in attachments:
        _attach(message, attachment)
    return message


def _attach(message: EmailMessage, attachment: Attachment) -> None:
    main, _, sub = attachment.content_type.partition("/")
    html = message.get_body(("html",))
    if attachment.content_id and isinstance(html, EmailMessage):
        html.add_related(
            attachment.content,
            main,
            sub,
            cid=f"<{attachment.content_id}>",
            filename=attachment.name,
            disposition="inline",
        )
    else:
        message.add_attachment(attachment.content, main, sub, filename=attachment.name)


def _send(url: str, message: EmailMessage) -> dict[str, tuple[int, bytes]]:
    parts = urlsplit(url)
    host, context = parts.hostname or "localhost", ssl.create_default_context()
    server: smtplib.SMTP
    if parts.scheme == "smtps":
        server = smtplib.SMTP_SSL(host, parts.port or 465, timeout=TIMEOUT, context=context)
    else:
        server = smtplib.SMTP(host, parts.port or 25, timeout=TIMEOUT)
    with server:
        server.ehlo()
        if parts.scheme != "smtps" and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        elif parts.scheme != "smtps" and parts.password:
            raise DeliveryRefusedError(
                f"the mail server at {_address(url)} offers no encryption, and a password was to be sent",
                action="use smtps://, or a server with STARTTLS",
            )
        if parts.username:
            server.login(unquote(parts.username), unquote(parts.password or ""))
        return server.send_message(message)


def _address(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (465 if parts.scheme == 'smtps' else 25)}"
