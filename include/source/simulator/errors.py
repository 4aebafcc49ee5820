"""What the simulated server answers when a request is wrong: the bodies are those of the real one."""

from typing import Any


class RequestError(Exception):
    """A request the server refuses; it carries the status and the JSON body of the answer.

    This is part of the simulated protocol, not a failure of the platform, so it lies outside the platform's tree.
    """

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.body = body
        super().__init__(body.get("message", ""))


def query_error(kind: str, message: str, **data: object) -> RequestError:
    """A 400 as the query coordinator words it, for example `no-such-column` or `type-mismatch`."""
    code = f"query.soql.{kind}"
    text = f"Query coordinator error: {code}; {message}"
    return RequestError(400, {"message": text, "errorCode": code, "data": {"dataset": "alpha.1", **data}})


def no_such_column(column: str) -> RequestError:
    """The answer to a column the data set does not have."""
    return query_error("no-such-column", f"No such column: {column}", column=column, position={"row": 1, "column": 1})


def malformed(query: str, *, at: int, expected: str) -> RequestError:
    """The answer to a text that is not SoQL; `at` counts characters from 0."""
    message = f'Could not parse SoQL query "{query}" at line 1 character {at + 1}: Expected {expected}'
    return RequestError(
        400, {"code": "query.compiler.malformed", "error": True, "message": message, "data": {"query": query}}
    )


def missing_dataset(dataset_id: str) -> RequestError:
    """The answer to a data set the server does not have."""
    return RequestError(
        404, {"code": "dataset.missing", "error": True, "message": "Not found", "data": {"id": dataset_id}}
    )


def throttled() -> RequestError:
    """The answer to a client over its budget."""
    message = "You have exceeded the number of anonymous requests allowed; please use an app token"
    return RequestError(429, {"code": "rate_limit_exceeded", "error": True, "message": message, "data": {}})


def bad_token() -> RequestError:
    """The answer to an application token the server does not know."""
    return RequestError(403, {"code": "permission_denied", "error": True, "message": "Invalid app_token specified"})
