"""The commands with their handlers; importing this module imports everything."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import partial
from importlib import import_module
from typing import Any

from glossator.application import Application
from glossator.commands.declaration import CommandDeclaration
from glossator.commands.declared import DECLARED
from glossator.core.errors import DeclarationError

_PACKAGE = __name__.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class LoadedCommand:
    """A command: `run` takes an instance of `request` and gives one of `answer`.

    `shows_progress` is true for commands worth a progress bar in the editor.
    """

    title: str
    request: type[Any]
    answer: type[Any]
    run: Callable[[Application, Any], Awaitable[Any]]
    shows_progress: bool = False


def load_command(declaration: CommandDeclaration) -> LoadedCommand:
    """The command, with its handler imported.

    Raises `DeclarationError` where there is none, or it is not `async`, from a dataclass to one.
    """
    module, _, name = declaration.handler.partition(":")
    try:
        handler = getattr(import_module(f"{_PACKAGE}.{module}"), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise DeclarationError(
            f"{declaration.name} has no handler: {error}. Write `async def {name or 'handler'}(app,"
            f" request)` in {_PACKAGE.replace('.', '/')}/{module}.py."
        ) from error
    hints: dict[str, Any] = typing.get_type_hints(handler)
    takes_action = hints.pop("action", None) is not None
    answer: Any = hints.pop("return", None)
    request: Any = [*hints.values(), None, None][1]
    if not (inspect.iscoroutinefunction(handler) and all(map(is_dataclass, (request, answer)))):
        raise DeclarationError(
            f"{declaration.name} is handled by {declaration.handler}, which must be `async`, take"
            " the application and a dataclass, and say which dataclass it gives."
        )
    if declaration.answer_class() not in (None, answer):
        raise DeclarationError(
            f"{declaration.name} is declared to answer {declaration.answer}, but its handler gives"
            f" {answer.__name__}; name one class in both places."
        )
    run = partial(handler, declaration.action) if takes_action else handler
    return LoadedCommand(declaration.title, request, answer, run, declaration.progress)


COMMANDS: Mapping[str, LoadedCommand] = {
    name: load_command(each) for name, each in DECLARED.items()
}
