"""Identifiers in parts, for models that were trained on prose."""

from __future__ import annotations

import re

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


def in_parts(text: str) -> str:
    """`parseHTTPHeader` as `parse HTTP Header`, `max_retries` as `max retries`."""
    return _BOUNDARY.sub(" ", text)
