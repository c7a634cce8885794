"""Settings under which the model is asked nothing beside the conversation, nor language servers.

A script for the stand-in names the requests in their order, so that a test turns on by itself what
asks more of the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

QUIET: Mapping[str, Mapping[str, Any]] = {
    "grounding": {"entailment": False, "correction": "off"},
    "languageServers": {"enabled": "off"},  # which are on this machine decides what tools there are
    "plan": {"dispatch": "off"},
    "sessions": {"titles": False},
}


def quietly(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """The settings of a test, and `QUIET` where they say nothing of it."""
    given = dict(settings or {})
    return {**given, **{group: {**QUIET[group], **given.get(group, {})} for group in QUIET}}


def write_quiet_settings(config: Path) -> None:
    """Write them as the user's, for servers in processes of their own."""
    folder = config / "glossator"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        line
        for group, values in QUIET.items()
        for line in (f"[{group}]", *(f"{name} = {json.dumps(v)}" for name, v in values.items()))
    ]
    (folder / "config.toml").write_text("\n".join((*lines, "")), "utf-8")
