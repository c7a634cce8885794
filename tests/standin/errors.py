"""Refusals and the shape in which the API sends an error."""

from typing import Any

TYPE_OF_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class Refusal(Exception):
    """A request the API would not serve, with the HTTP status and message it would send."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def error_body(
    type_: str, message: str, request_id: str, error_code: str | None = None
) -> dict[str, Any]:
    """The JSON of an error, in a response as in an `error` event."""
    error: dict[str, Any] = {"type": type_, "message": message}
    if error_code is not None:
        error["details"] = {"error_code": error_code}
    return {"type": "error", "error": error, "request_id": request_id}
