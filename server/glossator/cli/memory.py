"""Memories at a terminal: list them, show, edit or forget one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from glossator.cli.asking import Command, ask_server
from glossator.cli.context import add_switches
from glossator.cli.messages import NO_MEMORY
from glossator.cli.options import CommonOptions, a_sub_command_follows, with_options
from glossator.cli.own_programs import edit_file
from glossator.cli.render import Column, Display, Exact, Part, Styled, Table, line, listed
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.memory import ForgottenMemory, MemoryList, MemoryText, MemoryView, OpenedMemory

_LISTING = Command("glossator.listMemories")

memory = typer.Typer(
    help="List what is remembered from earlier sessions, or work on one memory.",
    invoke_without_command=True,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The memory, as the list names it.")]
Everywhere = Annotated[
    bool, typer.Option("--everywhere", help="The one for all workspaces, if two have the name.")
]


@memory.callback()
@with_options
def list_memories(context: typer.Context, *, common: CommonOptions) -> None:
    """List what is remembered from earlier sessions, or work on one memory."""
    if not a_sub_command_follows(context, common):
        ask_server(context, common, _LISTING, _show)


def _show(display: Display, answer: MemoryList) -> bool:
    display.answer(answer)
    return not answer.problems


@memory.command("show")
@with_options
def show_memory(
    context: typer.Context, name: Name, *, everywhere: Everywhere = False, common: CommonOptions
) -> None:
    """Show all of a memory, how old it is, and where it is from."""
    ask_server(context, common, Command("glossator.showMemory", _named(name, everywhere)))


@memory.command("forget")
@with_options
def forget_memory(
    context: typer.Context, name: Name, *, everywhere: Everywhere = False, common: CommonOptions
) -> None:
    """Delete a memory for good."""
    ask_server(context, common, Command("glossator.forgetMemory", _named(name, everywhere)))


@memory.command("edit")
@with_options
def edit_memory(
    context: typer.Context, name: Name, *, everywhere: Everywhere = False, common: CommonOptions
) -> None:
    """Open the file of a memory with $VISUAL or $EDITOR."""
    if common.json:
        raise UsageError("`edit` opens an editor; `glossator memory show --json` has the text.")
    found: list[str] = []

    def note(_display: Display, answer: OpenedMemory) -> bool:
        found.append(answer.path)
        return True

    ask_server(context, common, Command("glossator.openMemory", _named(name, everywhere)), note)
    asyncio.run(edit_file(found[0]))
    from glossator.commands import memory_problem  # noqa: PLC0415 - only this command needs it

    if problem := memory_problem(found[0]):
        raise UsageError(problem)


def _named(name: str, everywhere: bool) -> dict[str, Any]:
    return {"name": name, "everywhere": True} if everywhere else {"name": name}


add_switches(memory, ("memory",), "a memory", _LISTING, _show)


_STATES = {"on": "green", "off": "dim", "stale": "yellow"}
_SOURCES = {"user": "everywhere", "project": "this workspace"}


def memory_parts(answer: object) -> Iterator[Part]:
    """The parts of an answer about memories."""
    match answer:
        case MemoryList(memories=memories, problems=problems):
            yield listed(_table(memories), NO_MEMORY)
            for problem in problems:
                yield line(problem, "yellow", aside=True)
        case MemoryText(memory=memory, text=text):
            about = f"{memory.name} ({memory.type}, {_SOURCES[memory.source]}; {_from(memory)})"
            yield line(about, "dim", aside=True)
            yield Exact(f"{memory.description}\n\n{text}\n")
        case OpenedMemory(path=path):
            yield line(shown(path))
        case ForgottenMemory(name=name, left=left):
            yield line(f"Forgot {name}; memories that are left here: {left:,}.", aside=True)


def _table(memories: Sequence[MemoryView]) -> Table:
    """A row for each memory."""
    columns = (
        Column(whole=True),
        Column(style="bold", whole=True),
        Column(whole=True),
        Column("about"),
        Column("from", "dim"),
    )
    rows = (
        (
            Styled(each.state, _STATES[each.state]),
            each.name,
            f"{each.type}, {_SOURCES[each.source]}",
            shown(each.description),
            _from(each),
        )
        for each in memories
    )
    return Table(columns, tuple(rows))


def _from(memory: MemoryView) -> str:
    """Where it is from, and why it does not count as it stands."""
    return "; ".join(filter(None, (memory.origin, memory.why)))
