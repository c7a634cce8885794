"""The options that every asking command takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

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


@dataclass(frozen=True, slots=True)
class Common:
    """What the options were set to."""

    workspace: list[Path] | None
    json: bool
    verbose: bool
    offline: bool
    model: str | None

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
        return {"models": models} if models else {}


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError(
            "The current folder does not exist any more. Change to one that does, or name the"
            " workspace with --workspace."
        ) from error
