"""Instruction files, skills and hooks at a terminal: list them, turn them on or off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossator.cli.asking import Command, Execute, Show, Work, ask_server, show_adopted, show_answer
from glossator.cli.messages import (
    NO_CUSTOMIZATIONS,
    NO_HOOKS,
    NO_INSTRUCTIONS,
    NOTHING_GOES,
    amount,
)
from glossator.cli.options import (
    CommonOptions,
    ModelledOptions,
    a_sub_command_follows,
    with_options,
)
from glossator.cli.render import Column, Part, Styled, Table, line, listed
from glossator.commands import ContextSourceList, PreviewAnswer
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.customizations import CustomizationKind, CustomizationList, CustomizationState
from glossator.hooks import HookList

if TYPE_CHECKING:
    from glossator.cli.render import Display

Name = Annotated[str, typer.Argument(metavar="NAME", help="As the list names it.")]
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
_STATES = {  # of a source, a customization or a hook, by its value
    "on": ("on", "green"),
    "off": ("off", "dim"),
    "stale": ("stale", "yellow"),
    "proposed": ("not adopted", "yellow"),
    "changed": ("changed", "yellow"),
    "untrusted": ("not trusted", "yellow"),
    "unavailable": ("no sandbox", "red"),
    "waiting": ("waiting", "yellow"),
    "needs login": ("needs login", "yellow"),
    "problem": ("problem", "red"),
}
_OWNERS = {"user": "yours", "project": "the project's"}


def add_switches(
    group: typer.Typer, kinds: Sequence[str], what: str, listing: Command, show: Show = show_answer
) -> None:
    """Add both to the commands that list and work on `what`; they end with the `listing`."""

    @group.command("on", help=f"Turn {what} on again that you turned off in this workspace.")
    @with_options
    def turn_on(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
        ask_server(context, common, _turned(kinds, name, listing, on=True), show)

    @group.command("off", help=f"Turn {what} off in this workspace.")
    @with_options
    def turn_off(context: typer.Context, name: Name, *, common: CommonOptions) -> None:
        ask_server(context, common, _turned(kinds, name, listing, on=False), show)


def _turned(kinds: Sequence[str], name: str, listing: Command, *, on: bool) -> Work:
    async def work(execute: Execute) -> Any:  # noqa: ANN401 - what the listing answers
        kind, bare = kinds[0], name
        if len(kinds) > 1:
            kind, bare = await _kind_of(execute, kinds, name)
        argument = {"kind": kind, "id": bare, "on": on}
        await execute(Command("glossator.switchContext", argument))
        return await execute(listing)

    return work


async def _kind_of(execute: Execute, kinds: Sequence[str], name: str) -> tuple[str, str]:
    """What `/name`, `kind:name` or `name` is, and its name. Raises `UsageError`."""
    prefix, _, rest = name.partition(":")
    if name.startswith("/"):
        return "command", name[1:]
    if rest and prefix in kinds:
        return prefix, rest
    found: ContextSourceList = await execute(Command("glossator.listContext"))
    named = {each.kind.value for each in found.sources if name in (each.id, each.name)}
    match [kind for kind in kinds if kind in named]:
        case [kind]:
            return kind, name
        case [first, *_]:
            raise UsageError(
                f"Several things are called {name}: {', '.join(sorted(named))}. Write which one you"
                f" mean, as in {first}:{name}."
            )
        case _:
            raise UsageError(
                f"Nothing here is called {name}; `glossator skills` lists what there is."
            )


@skills.callback()
@with_options
def list_skills(context: typer.Context, *, common: ModelledOptions) -> None:
    """List the skills, slash commands and sub-agents that files describe, or turn one off."""
    if not a_sub_command_follows(context, common):
        ask_server(context, common, _SKILLS)


@hooks.callback()
@with_options
def list_hooks(context: typer.Context, *, common: ModelledOptions) -> None:
    """List your hooks and those that the workspace asks for, or work on one."""
    if not a_sub_command_follows(context, common):
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
    if not a_sub_command_follows(context, common):
        ask_server(context, common, _INSTRUCTIONS)


add_switches(skills, ("skill", "command", "agent"), "what a file describes", _SKILLS)
add_switches(hooks, ("hook",), "a hook", _HOOKS)
add_switches(instructions, ("instructions",), "a file", _INSTRUCTIONS)


def context_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about what goes into the window."""
    match answer:
        case ContextSourceList():
            yield from _source_parts(answer)
        case PreviewAnswer():
            yield from _preview_parts(answer)
        case HookList():
            yield from _hook_parts(answer)
        case CustomizationList():
            yield listed(_customization_table(answer), NO_CUSTOMIZATIONS)


def _source_parts(answer: ContextSourceList) -> Iterator[Part]:
    """A row for each, with the reason why it is not on; then what is wrong with files."""
    columns = (Column(whole=True), Column(whole=True), Column(whole=True), Column())
    rows, plain = [], []
    for each in answer.sources:
        word, style = _STATES[each.state]
        owner, said = _OWNERS[each.source], " ".join(filter(None, (each.why, each.detail)))
        rows.append((Styled(word, style), Styled(each.name, "bold", each.uri), owner, said))
        plain.append(f"{word}\t{each.name}\t{owner}\t{said}")
    yield listed(Table(columns, tuple(rows), tuple(plain)), NO_INSTRUCTIONS)
    for problem in answer.problems:
        yield line(problem, "yellow", aside=True)


def _preview_parts(answer: PreviewAnswer) -> Iterator[Part]:
    """A row for each part that would go with a question, then what cannot."""
    columns = (
        Column(whole=True),
        Column(right=True, whole=True),
        Column(least=14),
        Column("", "dim"),
    )
    rows, plain = [], []
    for each in answer.parts:
        tokens = "" if each.tokens is None else amount(each.tokens)
        rows.append((each.kind.value, tokens, Styled(each.name, "bold", each.uri), each.why))
        plain.append(f"{each.kind.value}\t{tokens}\t{each.name}\t{each.why}")
    yield listed(Table(columns, tuple(rows), tuple(plain)), NOTHING_GOES)
    for problem in answer.problems:
        yield line(problem, "yellow", aside=True)
    if answer.tokens:
        said = f"At least {amount(answer.tokens)} tokens beside the question."
        yield line(said, "dim", kind="table", aside=True)


def _customization_table(answer: CustomizationList) -> Table:
    """A row for each; at a terminal the name leads to the file, in a pipe its path ends the line.

    Where it is not used, the reason stands in the place of its description; what has no effect
    follows it.
    """
    columns = (Column(whole=True), Column(whole=True), Column(), Column(whole=True), Column())
    rows, plain = [], []
    for each in answer.items:
        word, style = _STATES[each.state]
        slash = "/" if each.kind is CustomizationKind.COMMAND else ""
        name, owner = f"{slash}{shown(each.name)}", _OWNERS[each.source]
        used = each.state is CustomizationState.ON
        said = shown(f"{each.description} {each.why}".strip() if used else each.why)
        hint = Styled(f" {shown(each.hint)}" if each.hint else "", "dim")
        named = Styled(name, "bold", each.uri), hint
        rows.append((Styled(word, style), each.kind.value, named, owner, said))
        plain.append("\t".join((word, each.kind.value, name, owner, said, shown(each.path))))
    return Table(columns, tuple(rows), tuple(plain))


def _hook_parts(answer: HookList) -> Iterator[Part]:
    """A row for each, with the reason why it does not run; then what could not be read."""
    columns = (Column(whole=True), Column(style="dim", whole=True), Column(), Column())
    rows, plain = [], []
    for each in answer.hooks:
        word, style = _STATES[each.state]
        name = f"{each.name}({shown(each.matcher)})" if "Tool" in each.name else each.name
        owner, command = _OWNERS[each.source], shown(each.command)
        said = each.why or each.description
        named = Styled(name, "bold", each.uri)
        about = Styled(f"  {owner}: {said}", "dim")
        rows.append((Styled(word, style), each.id, named, (Styled(command), about)))
        plain.append("\t".join((word, each.id, name, command, owner, said, shown(each.path))))
    yield listed(Table(columns, tuple(rows), tuple(plain)), NO_HOOKS)
    for problem in answer.problems:
        yield line(problem)
