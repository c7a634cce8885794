"""The settings of hooks: commands of the user's that run at certain moments."""

from __future__ import annotations

from pydantic import Field

from glossator.settings.group import Group


class Hook(Group):
    """A command of the user's."""

    matcher: str = Field(
        "*",
        description="What it is about: of tool hooks the tools, as in Edit|Bash; of sessionStart"
        " startup, resume or compact; of beforeCompaction auto or manual.",
    )
    command: str = Field(
        min_length=1, description="The shell command; it is given JSON on its standard input."
    )
    timeout: float = Field(
        30, gt=0, le=600, description="When it is ended if it still runs, in seconds."
    )


class HookSettings(Group):
    """Commands of your own that run at certain moments; see [hooks.md](hooks.md)."""

    session_start: tuple[Hook, ...] = Field((), description="When a session begins or goes on.")
    prompt_submit: tuple[Hook, ...] = Field((), description="Before a question is answered.")
    before_tool: tuple[Hook, ...] = Field((), description="Before a tool call is decided about.")
    after_tool: tuple[Hook, ...] = Field((), description="After a tool call that succeeded.")
    stop: tuple[Hook, ...] = Field((), description="When the model has answered.")
    before_compaction: tuple[Hook, ...] = Field(
        (), description="Before a conversation is compacted."
    )
