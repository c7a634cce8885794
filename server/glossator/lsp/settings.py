"""The settings of a server: as many of their sources as are valid."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glossator.core.errors import InvalidSettings
from glossator.settings.load import load_settings, user_file
from glossator.settings.model import Settings


def valid_settings(client: object, environment: Mapping[str, str]) -> tuple[Settings, list[str]]:
    """Settings from every source that is valid, and what is wrong with the others."""
    sources: dict[str, Any] = {"client": {}, "environment": {}, "file": Path(os.devnull)}
    settings = load_settings(**sources)
    problems: list[str] = []
    if not isinstance(client, Mapping | None):
        problems.append("Settings from the editor's settings must be an object. Correct them.")
        client = None
    for source, values in (
        ("file", user_file()),
        ("environment", environment),
        ("client", client or {}),
    ):
        try:
            settings = load_settings(**sources | {source: values})
        except InvalidSettings as error:
            problems.append(f"{error} Until then Glossator goes on without them.")
        else:
            sources[source] = values
    return settings, problems
