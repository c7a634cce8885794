"""The tool Memory: what later sessions read; the user is asked before anything changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, PrivateAttr

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.line_diff import unified_diff
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown, shown_prose
from glossator.core.tool_result import ToolResult, unchanged
from glossator.memory.entry import MAX_DESCRIPTION, MAX_NAME, Memory, MemoryType, secret_in
from glossator.memory.memories import SessionMemories, check_size
from glossator.memory.texts import gone_places, gone_symbols, memory_text
from glossator.symbols import SymbolFinder
from glossator.tools import ToolArgs, ToolContext, in_thread

MAX_ABOUT = 10

_SYMBOL_SECONDS = 1.0  # for the symbols that a memory names
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_NOT_HERE = "Memories cannot be read or changed here.\nGo on without, and say what should be kept."


class MemoryArgs(ToolArgs):
    """Arguments of Memory."""

    action: Literal["write", "update", "forget", "read"]
    name: str = Field(max_length=MAX_NAME, description="Such as `prefers-tabs`.")
    type: MemoryType | None = None
    description: str | None = Field(
        None, max_length=MAX_DESCRIPTION, description="What it says, in one line."
    )
    text: str | None = None
    about: tuple[str, ...] | None = Field(
        None, max_length=MAX_ABOUT, description="Paths, `path:line`, symbols."
    )
    everywhere: bool | None = Field(None, description="In all workspaces.")
    _found: Memory | None = PrivateAttr(None)

    habits: ClassVar[Mapping[str, Sequence[str]]] = {
        "command": ("action",),
        "content": ("text",),
        "body": ("text",),
        "kind": ("type",),
    }
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "action": {
            **dict.fromkeys(("add", "create", "save", "remember"), "write"),
            **dict.fromkeys(("delete", "remove"), "forget"),
            **dict.fromkeys(("view", "recall", "show"), "read"),
        }
    }

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept a name as the name of its file, or in words."""
        if isinstance(name := given.get("name"), str):
            given["name"] = name.strip().removesuffix(".md")
        return given

    def needed_access(self, of_tool: Access) -> Access:
        """The access that a call needs: reading changes nothing."""
        return Access.READ if self.action == "read" else of_tool

    def asked_to(self) -> str:
        """The action and the name of the memory, for the user."""
        if self.action != "write":
            return f"{self.action.capitalize()} {self.name}"
        return f"Keep {self.name} for {'all workspaces' if self.everywhere else 'this workspace'}"

    def preview(self, context: ToolContext) -> str:
        """The whole memory, or what changes in it.

        Raises `UsageError` where the call would fail, so that nobody is asked about it.
        """
        of = context.find(SessionMemories)
        if of is None:
            raise UsageError(_NOT_HERE)
        if self.action == "write":
            new = self.made(of)
            of.memories.check_new(new)
            return new.file()
        before = self.found(of)
        if self.action == "forget":
            return before.file()
        after = self.changed(before, of)
        check_size(after)
        return unified_diff(before.file(), after.file(), before.path.name, before.path.name)

    def found(self, of: SessionMemories) -> Memory:
        """The memory that is meant, as it was first found: so the user was asked about it.

        Raises `UsageError` if there is none.
        """
        if self._found is None:
            self._found = of.memories.kept().find(self.name, everywhere=self.everywhere)
        return self._found

    def made(self, of: SessionMemories) -> Memory:
        """The new memory. Raises `UsageError` where it cannot be kept."""
        if not _NAME.fullmatch(self.name) or self.name == "memory":
            raise UsageError(
                f"{shown(self.name)} cannot be a memory's name.\nUse lower-case words with hyphens,"
                " such as prefers-tabs."
            )
        if self.type is None or not self.description or not self.text:
            raise UsageError(
                "A new memory needs type, description and text.\nGive all three, and call it again."
            )
        everywhere = bool(self.everywhere)
        if everywhere and self.about:
            raise UsageError(
                "What is kept for all workspaces cannot be about places in one of them.\nLeave"
                " about out, or keep it for this workspace."
            )
        now = datetime.now(UTC)
        place = of.memories.place(everywhere=everywhere)
        return self._checked(
            Memory(
                Path(place, f"{self.name}.md"),
                everywhere,
                self.name,
                _line(self.description),
                self.type,
                shown_prose(self.text.strip()),
                now,
                now,
                _line(of.source()),
                tuple(map(_line, self.about or ())),
            )
        )

    def changed(self, before: Memory, of: SessionMemories) -> Memory:
        """The memory with what is given replaced. Raises `UsageError` where it cannot be kept."""
        given = (self.type, self.description, self.text, self.about)
        if all(each is None for each in given):
            raise UsageError(
                "There is nothing to change.\nGive a new description, text, type or about."
            )
        return self._checked(
            replace(
                before,
                type=self.type or before.type,
                description=_line(self.description) if self.description else before.description,
                text=before.text if self.text is None else shown_prose(self.text.strip()),
                about=before.about if self.about is None else tuple(map(_line, self.about)),
                updated=datetime.now(UTC),
                source=_line(of.source()),
            )
        )

    def _checked(self, memory: Memory) -> Memory:
        """The memory, if it holds no secret. Raises `UsageError`."""
        said = "\n".join((memory.name, memory.description, memory.text, *memory.about))
        if found := secret_in(said):
            raise UsageError(
                f"The memory holds what looks like a secret: {found}. A memory is a plain file, and"
                " is sent to models in later sessions.\nName where the secret is kept instead."
            )
        if secret_in(memory.source):
            return replace(memory, source=memory.source.partition(":")[0])
        return memory


class MemoryTool:
    """Keeps, changes and reads memories."""

    name: ClassVar[str] = "Memory"
    access: ClassVar[Access] = Access.REMEMBER
    args: ClassVar[type[ToolArgs]] = MemoryArgs
    description = load_prompt("tools/memory").render()

    async def run(self, args: MemoryArgs, context: ToolContext) -> ToolResult:
        """Carry out the call, and say what is kept, where, and why. Raises `UsageError`."""
        of = context.find(SessionMemories)
        if of is None:
            return ToolResult.failed(_NOT_HERE)
        if args.action == "read":
            return await _read(args, of, context)
        try:
            if args.action == "forget":
                said = await in_thread(_forget, args, of)
                of.changed()
                return ToolResult(said)
            kept, is_known = await in_thread(_keep, args, of)
        except StoreUnavailable as error:
            return ToolResult.failed(f"{error}\nTell the user, and go on without it.")
        if is_known:
            of.saw(kept)
        of.changed()
        return ToolResult(_told(kept))


def _keep(args: MemoryArgs, of: SessionMemories) -> tuple[Memory, bool]:
    """The memory, and whether the conversation has all of it."""
    if args.action == "write":
        return of.memories.write(args.made(of)), True
    before = args.found(of)
    is_known = args.text is not None or of.has_seen(before)
    return of.memories.update(before, args.changed(before, of)), is_known


def _forget(args: MemoryArgs, of: SessionMemories) -> str:
    memory = args.found(of)
    of.memories.forget(memory)
    return f"Forgot {memory.name}: {memory.description}"


async def _read(args: MemoryArgs, of: SessionMemories, context: ToolContext) -> ToolResult:
    memory = await in_thread(args.found, of)
    if await in_thread(of.is_off, memory):
        return ToolResult.failed(
            f"The user turned {memory.name} off in this workspace, so it is not read.\nGo on"
            " without it."
        )
    snapshot, hidden = context.snapshot, context.hidden
    gone = (
        *await in_thread(gone_places, memory, snapshot, hidden),
        *await gone_symbols(memory, snapshot, context.need(SymbolFinder), hidden, _SYMBOL_SECONDS),
    )
    if of.has_seen(memory):
        stale = "".join(f"; stale: {reason}" for reason in gone)
        return unchanged(f"{memory.name}{stale}")
    of.saw(memory)
    return ToolResult(memory_text(memory, datetime.now(UTC), gone))


def _told(memory: Memory) -> str:
    where = "all workspaces" if memory.everywhere else "this workspace"
    return (
        f"Kept {memory.name} for {where}, in {shown(str(memory.path))}. Later sessions are told of"
        " it; the user can change or delete the file."
    )


def _line(text: str) -> str:
    return shown(" ".join(text.split()))
