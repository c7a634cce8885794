"""The options that commands share, each written once: a command takes them gathered."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

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
        metavar="MODE",
        help="What is done unasked: reading (ask), edits too (acceptEdits), or all (auto). plan"
        " only reads.",
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
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Trust the workspace for this run, so that commands may be run in it; nothing is"
        " remembered.",
    ),
]
Review = Annotated[
    bool, typer.Option("--review", help="Choose among the parts of each edit before it is made.")
]

Thinking = Annotated[bool, typer.Option("--thinking", help="Show the thinking.")]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="ID", help="Go on with this session.", show_default=False),
]
Newest = Annotated[
    bool, typer.Option("--continue", help="Go on with the newest session of this workspace.")
]


@dataclass(frozen=True)
class Common:
    """The options of every command that asks a server."""

    workspace: Workspace = None
    json: Json = False
    verbose: Verbose = False

    @property
    def roots(self) -> tuple[Path, ...]:
        """Absolute folders, each once."""
        return tuple(dict.fromkeys(self.workspace or [here()]))

    @property
    def settings(self) -> dict[str, Any]:
        """What of it is a setting, by the names of the protocol; the unset is left to others."""
        return {}

    @property
    def trusted(self) -> bool:
        """Whether the user says that the workspace is trusted, for this run."""
        return False


@dataclass(frozen=True)
class Modelled(Common):
    """Those of a command that may ask a model."""

    offline: Offline = False
    model: Model = None

    @property
    def settings(self) -> dict[str, Any]:
        """Which model, or none."""
        models: dict[str, Any] = {}
        if self.offline:
            models["offline"] = True
        if self.model is not None:
            models["main"] = {"model": self.model}
        return {"models": models} if models else {}


@dataclass(frozen=True)
class Exploring(Modelled):
    """Those of a command that the fast model answers."""

    @property
    def settings(self) -> dict[str, Any]:
        """Which model, or none."""
        models: dict[str, Any] = {"offline": True} if self.offline else {}
        if self.model is not None:
            models["fast"] = {"model": self.model}
        return {"models": models} if models else {}


@dataclass(frozen=True)
class Acting(Modelled):
    """Those of a command that may act."""

    mode: Mode = None
    allow: Allow = None
    trust: Trust = False
    review: Review = False

    @property
    def trusted(self) -> bool:
        """By --trust."""
        return self.trust

    @property
    def settings(self) -> dict[str, Any]:
        """What may be done, too. Raises `InvalidSettings` if the user's rules cannot be read."""
        permissions: dict[str, Any] = {}
        if self.mode is not None:
            permissions["mode"] = self.mode
        if self.allow:
            permissions["allow"] = [*_allowed_already(), *self.allow]
        acting = {"permissions": permissions} if permissions else {}
        return super().settings | acting | ({"edits": {"review": "propose"}} if self.review else {})


@dataclass(frozen=True)
class Asking(Acting):
    """Those of a command that a model answers, in a session."""

    thinking: Thinking = False
    resume: Resume = None
    newest: Newest = False


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer is to see it: each option in place of `common`, which gathers them."""
    signature = inspect.signature(command, eval_str=True)
    gathered = signature.parameters["common"].annotation
    options = inspect.signature(gathered, eval_str=True).parameters

    @functools.wraps(command)
    def run(**given: object) -> None:
        common = gathered(**{name: given.pop(name) for name in options})
        command(**given, common=common)

    own = [each for each in signature.parameters.values() if each.name != "common"]
    spread = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in options.values()]
    cast(Any, run).__signature__ = signature.replace(parameters=[*own, *spread])
    return run


def _allowed_already() -> tuple[str, ...]:
    """The rules of the user's settings; what the server is told takes their place."""
    from glossator.settings.load import load_settings  # noqa: PLC0415 - slow, and seldom needed

    return load_settings(None, os.environ).permissions.allow


def here() -> Path:
    """The current folder. Raises `UsageError` if it is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError(
            "The current folder does not exist any more. Change to one that does, or name the"
            " workspace with --workspace."
        ) from error
