"""The commands about skills, hooks and instruction files: list them, turn them on or off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glossator.cli.asking import Command, ask_server, show_adopted
from glossator.cli.options import CommonOptions, ModelledOptions, with_options
from glossator.cli.switches import add_switches
from glossator.core.errors import UsageError

if TYPE_CHECKING:
    from glossator.cli.render import Display
    from glossator.hooks import HookList

Id = Annotated[str, typer.Argument(metavar="ID", help="The hook, as the list names it.")]

_SKILLS = Command("glossator.listCustomizations")
_HOOKS = Command("glossator.listHooks")
_INSTRUCTIONS = Command("glossator.listContext", {"kind": "instructions"})

skills = typer.Typer(
    help="List the skills, slash commands and sub-agents that files describe, or turn one off.",
    invoke_without_command=True,
)
hooks = typer.Typer(
    help="List your hooks and those that the workspace asks for, or work on one.",
    invoke_without_command=True,
)
instructions = typer.Typer(
    help="List the instruction files that the model is given, or turn one off.",
    invoke_without_command=True,
)


@skills.callback()
@with_options
def list_skills(context: typer.Context, *, common: ModelledOptions) -> None:
    """List the skills, slash commands and sub-agents that files describe, or turn one off."""
    if not _is_for_another(context, common):
        ask_server(context, common, _SKILLS)


@hooks.callback()
@with_options
def list_hooks(context: typer.Context, *, common: ModelledOptions) -> None:
    """List your hooks and those that the workspace asks for, or work on one."""
    if not _is_for_another(context, common):
        ask_server(context, common, _HOOKS)


@hooks.command()
@with_options
def adopt(context: typer.Context, hook: Id, *, common: CommonOptions) -> None:
    """Let a hook run that the workspace asks for, after a look at what it would run."""

    def show(display: Display, answer: HookList) -> bool:
        found = (each for each in answer.hooks if each.id == hook)
        adopted = any(each.adopted and each.state != "changed" for each in found)
        return show_adopted(display, answer, is_adopted=adopted)

    ask_server(context, common, Command("glossator.adoptHook", {"id": hook}), show)


@hooks.command()
@with_options
def forget(context: typer.Context, hook: Id, *, common: CommonOptions) -> None:
    """Take back that a hook was adopted; it runs no more."""
    ask_server(context, common, Command("glossator.forgetHook", {"id": hook}))


@instructions.callback()
@with_options
def list_instructions(context: typer.Context, *, common: CommonOptions) -> None:
    """List the instruction files that the model is given, or turn one off."""
    if not _is_for_another(context, common):
        ask_server(context, common, _INSTRUCTIONS)


def _is_for_another(context: typer.Context, common: CommonOptions) -> bool:
    """Whether a sub-command follows. Raises `UsageError` for options that stand before it."""
    if context.invoked_subcommand is None:
        return False
    if common != type(common)():
        raise UsageError(f"Write the options after `{context.invoked_subcommand}`.")
    return True


add_switches(skills, ("skill", "command", "agent"), "what a file describes", _SKILLS)
add_switches(hooks, ("hook",), "a hook", _HOOKS)
add_switches(instructions, ("instructions",), "a file", _INSTRUCTIONS)
