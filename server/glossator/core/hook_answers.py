"""What the command about hooks answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class HookView:
    """A hook as it is listed; `name` is the moment, as the settings or a file name it.

    `source`: the user's settings (user), or a file of the workspace (project), at `path`, which is
    only `proposed` and never run. `unavailable`: there is no sandbox. `why` says why it does not
    run, and what to do. `timeout` is in seconds; null where a file gives none.
    """

    name: str
    matcher: str
    command: str
    timeout: float | None
    source: Literal["user", "project"]
    state: Literal["on", "untrusted", "unavailable", "proposed"]
    why: str
    description: str
    path: str
    uri: str


@dataclass(frozen=True, slots=True)
class HookList:
    """The hooks, the user's own first; `problems` are sentences about files that were not read."""

    hooks: tuple[HookView, ...]
    problems: tuple[str, ...]
