"""Errors of the guard."""

from include.errors import RefusedError, TerminalError, TransientError


class GuardRefusal(RefusedError):  # noqa: N818 - a refusal is a verdict on the text, not a fault
    """The text is not allowed to run.

    Attributes:
        rule: name of the rule that said no, such as `table` or `function`.
    """

    rule: str = "guard"

    def __init__(self, seen: str, *, expected: str = "", action: str = "", rule: str = "guard") -> None:
        super().__init__(seen, expected=expected, action=action)
        self.rule = rule

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.seen, self.expected, self.action, {"rule": self.rule})


class QueryFailed(TerminalError):  # noqa: N818 - named after what PostgreSQL reports
    """PostgreSQL refused or failed the statement.

    Attributes:
        sqlstate: PostgreSQL's five-character code; none when the driver could not read a value.
        message: PostgreSQL's primary message.
        hint: PostgreSQL's hint; may be empty.
        position: character (from 1) of the text as written that the message is about, when PostgreSQL names one.
    """

    sqlstate: str | None = None
    message: str = ""
    hint: str = ""
    position: int | None = None

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str | None = None,
        hint: str = "",
        position: int | None = None,
        action: str = "",
    ) -> None:
        code = f" (SQLSTATE {sqlstate})" if sqlstate else ""
        super().__init__(f"{message}{code}", action=action or hint)
        self.sqlstate = sqlstate
        self.message = message
        self.hint = hint
        self.position = position

    def __reduce__(self) -> tuple[object, ...]:
        fields = {"sqlstate": self.sqlstate, "message": self.message, "hint": self.hint, "position": self.position}
        return _rebuild, (type(self), self.seen, self.expected, self.action, fields)


class QueryTimeout(QueryFailed):
    """The statement ran into the time limit and was cancelled."""


class RoleRefusedError(RefusedError):
    """The database role of the agent could do harm: nothing runs on it."""


class AuditError(TransientError):
    """The audit row could not be written, so the result is withheld."""


class GuardBusyError(TransientError):
    """All connections of the guard stayed in use for too long."""


def _rebuild(
    kind: type[GuardRefusal] | type[QueryFailed], seen: str, expected: str, action: str, fields: dict[str, object]
) -> GuardRefusal | QueryFailed:
    error = kind.__new__(kind)
    TerminalError.__init__(error, seen, expected=expected, action=action)
    for name, value in fields.items():
        setattr(error, name, value)
    return error
