"""The options and arguments that commands share, each read and checked in one place."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from glossator.cli.messages import NO_QUESTION, TOOL_EXAMPLE
from glossator.core.errors import UsageError
from glossator.core.uri import to_uri

_LINES = re.compile(r"(?P<path>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.DOTALL)
_SHOWN_CHARACTERS = 36  # characters shown before and after a mistake

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
Outputs = Annotated[bool, typer.Option("--outputs", help="Show what tools gave the model.")]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="ID", help="Go on with this session.", show_default=False),
]
Newest = Annotated[
    bool, typer.Option("--continue", help="Go on with the newest session of this workspace.")
]


InWorktree = Annotated[
    str | None,
    typer.Option(
        "--worktree",
        metavar="[=NAME]",
        help="Begin a session in a git worktree of its own, with a branch, beside your files.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class CommonOptions:
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
        """The options that are settings, by their names in the protocol."""
        return {}

    @property
    def trusted(self) -> bool:
        """Whether the user says that the workspace is trusted, for this run."""
        return False

    @property
    def shows_outputs(self) -> bool:
        """Whether what tools gave is shown."""
        return False


@dataclass(frozen=True)
class ModelledOptions(CommonOptions):
    """The options of a command that may ask a model."""

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
class ExploringOptions(ModelledOptions):
    """The options of a command that the fast model answers."""

    @property
    def settings(self) -> dict[str, Any]:
        """Which model, or none."""
        models: dict[str, Any] = {"offline": True} if self.offline else {}
        if self.model is not None:
            models["fast"] = {"model": self.model}
        return {"models": models} if models else {}


@dataclass(frozen=True)
class ActingOptions(ModelledOptions):
    """The options of a command that may act."""

    mode: Mode = None
    allow: Allow = None
    trust: Trust = False
    review: Review = False

    @property
    def trusted(self) -> bool:
        """Whether --trust was given."""
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
class AskingOptions(ActingOptions):
    """The options of a command that a model answers, in a session."""

    thinking: Thinking = False
    outputs: Outputs = False
    resume: Resume = None
    newest: Newest = False
    worktree: InWorktree = None

    @property
    def shows_outputs(self) -> bool:
        """Whether --outputs was given."""
        return self.outputs


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


def a_sub_command_follows(context: typer.Context, common: CommonOptions, *own: object) -> bool:
    """Whether one does, after a group. Raises `UsageError` for options that stand before it."""
    if context.invoked_subcommand is None:
        return False
    if common != type(common)() or any(own):
        raise UsageError(f"Write the options after `{context.invoked_subcommand}`.")
    return True


def here() -> Path:
    """The current folder. Raises `UsageError` if it is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError(
            "The current folder does not exist any more. Change to one that does, or name the"
            " workspace with --workspace."
        ) from error


def read_question(words: Sequence[str]) -> str:
    """The question: the words, or stdin for a lone `-`. Raises `UsageError` if it is empty."""
    try:
        text = sys.stdin.read() if list(words) == ["-"] else " ".join(words)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"The question on stdin is no text ({error}); send it as UTF-8."
        ) from error
    if not text.strip():
        raise UsageError(NO_QUESTION)
    return text.strip()


def document_lines(text: str, roots: Sequence[Path]) -> dict[str, Any]:
    """`PATH`, `PATH:FIRST` or `PATH:FIRST-LAST`, as the protocol names lines of a document.

    A path may be one from here or from a folder of the workspace. Raises `UsageError` if there is
    no such file, and for lines in reverse.
    """
    if (path := _existing(text, roots)) is not None:
        return {"uri": to_uri(path)}
    lines = _LINES.fullmatch(text)
    if lines is None or (path := _existing(lines["path"], roots)) is None:
        raise UsageError(
            f"There is no file {text}, neither here nor in the workspace. Check the name, or name"
            " the workspace with --workspace."
        )
    first, last = int(lines["first"]), int(lines["last"] or lines["first"])
    if last < first:
        raise UsageError(
            f"{text} names its lines in reverse; the first one comes first:"
            f" {lines['path']}:{last}-{first}."
        )
    return {"uri": to_uri(path), "firstLine": first, "lastLine": last}


def tool_arguments(text: str) -> dict[str, Any]:
    """The arguments of a tool. Raises `UsageError` with the place of the mistake."""
    try:
        arguments = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"The arguments are not JSON: {error.msg} at line {error.lineno}, column"
            f" {error.colno}.\n{_pointed_at(text, error)}\n{TOOL_EXAMPLE}"
        ) from error
    if not isinstance(arguments, dict):
        raise UsageError(f"The arguments must be a JSON object.\n{TOOL_EXAMPLE}")
    return arguments


def _allowed_already() -> tuple[str, ...]:
    """The rules of the user's settings, which options replace."""
    from glossator.settings import load_settings  # noqa: PLC0415 - slow, and seldom needed

    return load_settings(None, os.environ).permissions.allow


def _existing(path: str, roots: Sequence[Path]) -> str | None:
    """The absolute path of an existing file, one in the workspace if there are several."""
    places = (os.path.abspath(path), *(os.path.join(root, path) for root in roots))
    existing = [place for place in places if os.path.exists(place)]
    inside = (place for place in existing if any(map(Path(place).is_relative_to, roots)))
    return next(inside, existing[0] if existing else None)


def _pointed_at(text: str, error: json.JSONDecodeError) -> str:
    """The part of the line around the mistake, and a caret below it."""
    column = error.colno - 1
    start = max(0, column - _SHOWN_CHARACTERS)
    line = text.split("\n")[error.lineno - 1][start : column + _SHOWN_CHARACTERS]
    return f"  {line}\n  {' ' * (column - start)}^"
