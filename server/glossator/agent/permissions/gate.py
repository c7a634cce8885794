"""Before a tool acts: what is decided about the call, and the user's word where it takes one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from glossator.agent.permissions.decide import Ask, Decision, Deny, decide
from glossator.agent.permissions.grants import Grants
from glossator.agent.permissions.policy import Mode, Policy
from glossator.agent.permissions.subject import Subject
from glossator.core.document import Missing
from glossator.core.permission import PermissionAnswer, PermissionRequest
from glossator.core.shown import shown
from glossator.tools.base import Access, Cancelled, Tool, ToolArgs, ToolContext, in_thread
from glossator.tools.bash import BashArgs
from glossator.tools.shell.judge import is_read_only
from glossator.tools.shell.shell import Shell
from glossator.tools.shell.syntax import Script, parse

_DETAIL_LINES = 60
_NETWORK = "It would reach the network."


@dataclass(frozen=True, slots=True)
class Gate:
    """Decides about the calls of one session; one question at a time is put to the user.

    `reviews`: every edit is put to the user anyway, before it is applied.
    """

    policy: Callable[[], Policy]
    grants: Grants
    ask: Callable[[PermissionRequest], Awaitable[PermissionAnswer]]
    shell: Callable[[], Shell]  # blocking
    reviews: bool = False
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def denial(self, tool: Tool, args: ToolArgs, context: ToolContext) -> str | None:
        """Why a call may not be made, for the model; None when it may.

        Raises `UsageError` for a call that can be decided about by nobody.
        """
        if tool.access is Access.NONE:
            return None
        subject = await in_thread(_subject, tool, args, context, self.shell)
        decision = self._decide(subject)
        if isinstance(decision, Ask):
            async with self._turn:
                decision = self._decide(subject)  # what was answered meanwhile may settle it
                if isinstance(decision, Ask):
                    answer = await self.ask(_request(tool, args, decision))
                    decision = self.grants.settle(decision, answer)
        return decision.reason if isinstance(decision, Deny) else None

    def _decide(self, subject: Subject) -> Decision:
        policy = self.policy()
        if self.reviews and subject.access is Access.WRITE and policy.mode is Mode.ASK:
            policy = replace(policy, mode=Mode.ACCEPT_EDITS)
        return decide(subject, replace(policy, session=self.grants.rules))


def _subject(
    _cancelled: Cancelled,
    tool: Tool,
    args: ToolArgs,
    context: ToolContext,
    shell: Callable[[], Shell],
) -> Subject:
    if isinstance(args, BashArgs):
        return _script(args, shell())
    paths = (context.snapshot.folders.locate(path) for path in args.paths())
    known = [path for path in paths if not isinstance(path, Missing)]  # else the tool says so
    return Subject.of_files(tool.name, tool.access, known)


def _script(args: BashArgs, shell: Shell) -> Subject:
    """What a command would do; looking at a job does nothing."""
    place = shell.place(args.cwd)
    script = parse(args.command) if args.command is not None else Script(())
    open_reason = shell.unconfined or (_NETWORK if args.network else None)
    if not isinstance(script, Script):
        return Subject.of_shell(None, cwd=place.cwd, open_reason=open_reason)
    return Subject.of_shell(
        [command.words for command in script.commands],
        cwd=place.cwd,
        writes=[path for command in script.commands for path in command.writes],
        read_only=is_read_only(script, place),
        open_reason=open_reason if script.commands else None,
    )


def _request(tool: Tool, args: ToolArgs, ask: Ask) -> PermissionRequest:
    names = " ".join(map(shown, args.paths()))
    lines = args.preview().splitlines()
    if len(lines) > _DETAIL_LINES:
        lines[_DETAIL_LINES:] = [f"… {len(lines) - _DETAIL_LINES:,} more lines"]
    title = f"May {tool.name} {names or 'run'}?"
    suggestions = tuple(map(str, ask.suggestions))
    return PermissionRequest(tool.name, title, "\n".join(lines), ask.reasons, suggestions)
