"""Sub-commands made from declarations: the request's fields are options, the answer is printed.

The program does not start if a declaration and the functions of this package disagree.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from enum import EnumType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from glossator.cli.asking import Command, ask_server
from glossator.cli.options import ModelledOptions
from glossator.cli.render import Display, printable
from glossator.commands import DECLARED, CommandDeclaration
from glossator.core.errors import DeclarationError
from glossator.core.wire import Json, camel

# They ask no server; `launch.py` knows them, too.
ALONE = frozenset(
    {"acp", "eval", "eval grounding", "eval retrieval", "mcp serve", "serve", "trust"}
)


def add_generic_commands(app: typer.Typer) -> None:
    """A sub-command for each declaration that names one and has no function.

    Raises `DeclarationError` for a function whose sub-command is not declared.
    """
    declared = {each.terminal: each for each in DECLARED.values() if each.terminal}
    known = set(_words(app))
    others = {word for each in DECLARED.values() for word in each.also}
    if unknown := sorted(known - declared.keys() - others - ALONE):
        raise DeclarationError(f"No declaration names as `terminal`: {', '.join(unknown)}.")
    for word in sorted(declared.keys() - known):
        declaration = declared[word]
        if not declaration.help or " " in word:
            raise DeclarationError(
                f"{declaration.name} is `glossator {word}` in a terminal: give it a `help`, or"
                " write a function for it in glossator/cli."
            )
        app.command(word, help=declaration.help, cls=_late(declaration))(lambda: None)


def _words(app: typer.Typer) -> Iterator[str]:
    """Each sub-command as it is typed."""
    for command in app.registered_commands:
        yield command.name or typing.cast(Any, command.callback).__name__
    for group in app.registered_groups:
        yield str(group.name)
        inner = _words(typing.cast(typer.Typer, group.typer_instance))
        yield from (f"{group.name} {word}" for word in inner)


def _late(declaration: CommandDeclaration) -> type[TyperCommand]:
    class Late(TyperCommand):
        """Is built when it is called: its options are the fields of a class that loads late."""

        def built(self) -> Any:  # noqa: ANN401 - typer's
            from glossator.commands import load_command  # noqa: PLC0415 - half a second

            return generic_command(declaration, load_command(declaration).request)

        def make_context(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - as typer has it
            return self.built().make_context(*given, **more)

    return Late


def generic_command(declaration: CommandDeclaration, request: type[Any]) -> Any:  # noqa: ANN401 - typer's
    """The sub-command. Raises `DeclarationError` if `request` has more than words and numbers."""
    options = inspect.signature(ModelledOptions, eval_str=True).parameters

    def run(context: typer.Context, **given: Json) -> None:
        common = ModelledOptions(**{name: given.pop(name) for name in options})

        def show(display: Display, answer: Json) -> bool:
            if common.json:
                display.answer(answer)
            else:
                print(printable("\n".join(_lines(answer))))
            return True

        argument = {camel(name): value for name, value in given.items() if value is not None}
        ask_server(context, common, Command(declaration.name, argument), show)

    hints = typing.get_type_hints(request)
    own = [_parameter(each, hints[each.name], declaration) for each in fields(request)]
    keyword = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("context", keyword, annotation=typer.Context)
    shared = [each.replace(kind=keyword) for each in options.values()]
    typing.cast(Any, run).__signature__ = inspect.Signature([context, *own, *shared])
    single = typer.Typer(
        add_completion=False, context_settings={"help_option_names": ["-h", "--help"]}
    )
    single.command(declaration.terminal, help=declaration.help)(run)
    return get_command(single)


def _parameter(
    field: Field[Any],
    hint: Any,  # noqa: ANN401 - a type expression
    declaration: CommandDeclaration,
) -> inspect.Parameter:
    """A field that must be given is an argument, another one an option."""
    kinds = [each for each in typing.get_args(hint) or (hint,) if each is not type(None)]
    if isinstance(hint, types.UnionType) and len(kinds) == 1:
        (hint,) = kinds
    if typing.get_origin(hint) is tuple and kinds[0] in (str, int, float):
        hint = list[kinds[0]]  # type: ignore[valid-type]  # one of three classes
    elif hint not in (str, int, float, bool) and not isinstance(hint, EnumType):
        raise DeclarationError(
            f"{declaration.name} takes {field.name!r}, which is more than a word or a number: write"
            f" `glossator {declaration.terminal}` as a function in glossator/cli."
        )
    required = field.default is MISSING and field.default_factory is MISSING
    words = field.metadata.get("help")
    told: Any = (
        typer.Argument(help=words)
        if required
        else typer.Option(f"--{field.name.replace('_', '-')}", help=words, show_default=False)
    )
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if required else None,
        annotation=Annotated[hint if required else hint | None, told],
    )


def _lines(wire: Json, indent: str = "") -> Iterator[str]:
    """An answer as text: a field a line, and what is in it below."""
    for name, value in wire.items() if isinstance(wire, dict) else enumerate(wire, 1):
        if isinstance(value, dict | list) and value:
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{name}: {json.dumps(value) if isinstance(value, list) else value}"
