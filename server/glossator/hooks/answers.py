"""What the commands about hooks answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HookState = Literal["on", "off", "untrusted", "unavailable", "proposed", "changed", "problem"]


@dataclass(frozen=True, slots=True)
class HookView:
    """A hook as it is listed; `name` is the moment, as the settings or a file name it.

    `id` is short enough to type. `source`: the user's settings (user), or a file of the workspace
    (project), at `path`, which is only `proposed` until the user adopts it, and `changed` if
    something else would run than what was `adopted`. `unavailable`: there is no sandbox. `why` says
    why it does not run, and what to do. `timeout` is in seconds; null where a file gives none.
    """

    id: str
    name: str
    matcher: str
    command: str
    timeout: float | None
    source: Literal["user", "project"]
    state: HookState
    why: str
    description: str
    path: str
    uri: str
    adopted: bool = False


@dataclass(frozen=True, slots=True)
class HookList:
    """The hooks, the user's own first; `problems` are sentences about files that were not read."""

    hooks: tuple[HookView, ...]
    problems: tuple[str, ...]
