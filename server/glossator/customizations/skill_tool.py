"""Skill: loads instructions that files keep, and reads the files beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pydantic import Field

from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import ToolResult
from glossator.tools import ToolArgs, ToolContext


class Skills(ABC):
    """The skills that the model may load. Each raises `UsageError` for one that is not there."""

    @abstractmethod
    async def load(self, name: str, arguments: str) -> str:
        """The text of a skill with its arguments, and which files lie in its folder."""

    @abstractmethod
    async def read(self, name: str, file: str, first_line: int) -> str:
        """A file of its folder, from a line on (1-based)."""


class SkillArgs(ToolArgs):
    """Arguments of Skill."""

    name: str = Field(min_length=1, max_length=200)
    arguments: str = Field("", max_length=4_000, description="Words that its text has places for.")
    file: str = Field("", max_length=1_000, description="A file of its folder to read instead.")
    line: int = Field(1, ge=1, description="Where to begin in it.")

    habits: ClassVar = {
        "skill": ("name",),
        "skill_name": ("name",),
        "command": ("name",),
        "args": ("arguments",),
        "path": ("file",),
    }

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept a name with the `/` that a user types."""
        if isinstance(name := given.get("name"), str):
            given["name"] = name.removeprefix("/")
        return given


class SkillTool:
    """Gives the text of a skill, or of a file in its folder."""

    name: ClassVar[str] = "Skill"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = SkillArgs
    description = load_prompt("tools/skill").render()

    async def run(self, args: SkillArgs, context: ToolContext) -> ToolResult:
        """Load it."""
        if (skills := context.find(Skills)) is None:
            raise UsageError("There are no skills here.\nGo on without one.")
        if args.file:
            text = await skills.read(args.name, args.file, args.line)
            return ToolResult(text, outcome=f"read {args.file}")
        text = await skills.load(args.name, args.arguments)
        return ToolResult(text, outcome=f"loaded {args.name}")
