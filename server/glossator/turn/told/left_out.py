"""What counts for nothing here of what there is, and why: no trust, no adoption, turned off."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from glossator.application import Application
from glossator.core.context_kind import ContextKind
from glossator.core.shown import shown
from glossator.customizations import Customizations
from glossator.turn.hooks import left_out_hooks
from glossator.turn.told.instructions import left_out_files


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Names and counts for people, such as `2 hooks`.

    `untrusted` waits until the workspace is trusted. `proposed` waits until the user adopts it, by
    the command that lists it. The user turned off what is `off`.
    """

    untrusted: tuple[str, ...] = ()
    proposed: Mapping[str, str] = field(default_factory=dict)
    off: tuple[str, ...] = ()


async def left_out(app: Application, described: Customizations) -> LeftOut:
    """What is left out now, of the workspace and of the user's own."""
    off = tuple(await asyncio.to_thread(lambda: list(_turned_off(app))))
    programs = {"mcp": app.mcp.left_out(), "hooks": await left_out_hooks(app)}
    if app.acting.trust.is_trusted:
        return LeftOut((), {command: each[0] for command, each in programs.items() if each}, off)
    files = map(app.host.snapshot().relative, await left_out_files(app))
    own = ("your hooks",) if any(app.hooks) else ()
    return LeftOut((*files, *described.left_out, *chain(*programs.values()), *own), {}, off)


def _turned_off(app: Application) -> Iterator[str]:
    """What the user turned off here, but for files that are gone; blocking."""
    for kind in ContextKind:
        for key in sorted(app.switches.off(kind)):
            if kind is ContextKind.HOOK:
                yield f"the hook {key}"
            elif kind is ContextKind.MCP:
                yield f"the MCP server {shown(key)}"
            elif os.path.lexists(key):
                memory = f"the memory {shown(Path(key).stem)}"
                yield memory if kind is ContextKind.MEMORY else app.host.snapshot().relative(key)
