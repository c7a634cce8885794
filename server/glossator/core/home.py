"""The user's home folder, as the environment of this process names it."""

from __future__ import annotations

from collections.abc import Mapping


def home_of(environment: Mapping[str, str]) -> str | None:
    """The folder; None if nothing names it."""
    return environment.get("HOME") or environment.get("USERPROFILE") or None
