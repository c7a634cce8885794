"""Who calls, and in which version of the API."""

from collections.abc import Mapping

from tests.standin.errors import Refusal

VERSION = "2026-10-21"
_OF_GUESTS = "2023-06-01"


def authorised(headers: Mapping[str, str]) -> None:
    """A bearer key (an `x-api-key` is not one) and the version header."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Refusal("Authentication failed: send `Authorization: Bearer <key>`.", 401)
    version = headers.get("anthropic-version")
    if version is None:
        raise Refusal("anthropic-version: header is required")
    if version != VERSION:
        raise Refusal(f"anthropic-version: {version!r} is not {VERSION!r}, which is served here")


def is_guest(headers: Mapping[str, str]) -> bool:
    """Whether somebody else's client calls, in the version that those still speak."""
    return headers.get("anthropic-version") == _OF_GUESTS
