"""What may go wrong with a delivery."""

from include.errors import TerminalError, TransientError


class DeliveryError(TransientError):
    """The mail server or the webhook could not be reached, or asked to come back later."""


class DeliveryRefusedError(TerminalError):
    """The mail server or the webhook refused the message, or none is set up."""
