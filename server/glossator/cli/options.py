"""The options that every asking command takes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from glossator.core.errors import UsageError

Workspace = Annotated[
    list[Path] | None,
    typer.Option(
        "--workspace",
        "-C",
        metavar="DIR",
        help="A folder of the workspace; repeat it for several. Default: this one.",
        exists=True,
        file_okay=False,
        resolve_path=True,
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show the server's log.")]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no model; answer with extracts.")]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="ID", help="The model that answers.", show_default=False),
]


ModeName = Literal["plan", "ask", "acceptEdits", "auto"]
Mode = Annotated[
    ModeName | None,
    typer.Option(
        "--mode",
        help="What is done without asking: reading, edits too, or everything; plan only reads.",
        show_default=False,
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="RULE",
        help="Do this without asking, such as 'Bash(npm test:*)'; repeat it for several.",
        show_default=False,
    ),
]
Review = Annotated[
    bool, typer.Option("--review", help="Choose among the parts of each edit before it is made.")
]


@dataclass(frozen=True, slots=True)
class Acting:
    """What the options say that a run may do."""

    mode: ModeName | None = None
    allow: tuple[str, ...] = ()
    review: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """As settings. Raises `InvalidSettings` if the user's own rules cannot be read."""
        permissions: dict[str, Any] = {}
        if self.mode is not None:
            permissions["mode"] = self.mode
        if self.allow:
            permissions["allow"] = [*_allowed_already(), *self.allow]
        settings = {"permissions": permissions} if permissions else {}
        return settings | ({"edits": {"review": "propose"}} if self.review else {})


@dataclass(frozen=True, slots=True)
class Common:
    """What the options were set to."""

    workspace: list[Path] | None
    json: bool
    verbose: bool
    offline: bool = False
    model: str | None = None
    acting: Acting = Acting()

    @property
    def roots(self) -> tuple[Path, ...]:
        """Absolute folders, each once."""
        return tuple(dict.fromkeys(self.workspace or [_here()]))

    @property
    def settings(self) -> dict[str, Any]:
        """What of it is a setting, by the names of the protocol; the unset is left to others."""
        models: dict[str, Any] = {}
        if self.offline:
            models["offline"] = True
        if self.model is not None:
            models["main"] = {"model": self.model}
        return ({"models": models} if models else {}) | self.acting.settings


def _allowed_already() -> tuple[str, ...]:
    """The rules of the user's settings; what the server is told takes their place."""
    from glossator.settings.load import load_settings  # noqa: PLC0415 - slow, and seldom needed

    return load_settings(None, os.environ).permissions.allow


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError(
            "The current folder does not exist any more. Change to one that does, or name the"
            " workspace with --workspace."
        ) from error
