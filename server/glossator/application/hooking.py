"""The user's hooks in conversations: when they run, what they are told, and what becomes of it.

They run in the sandbox of commands, and only where the folder is trusted. Where none are set,
nothing is done.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from glossator.application.application import Application
from glossator.context import Reminders, in_tags
from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.shown import shown, shown_text
from glossator.core.tool_result import ToolResult, shorten
from glossator.hooks import HookAnswer, HookEvent, run_hook, strictest
from glossator.prompts import load_prompt
from glossator.sandbox import LimitedShell
from glossator.settings import Hook
from glossator.tools import ToolArgs

_NAMED = 80  # characters of a command in a notice
_REASON = 2_000  # characters of a reason or a notice
_NOTHING = HookAnswer()


@dataclass(slots=True)
class SessionHooks:
    """Runs the hooks of one conversation or sub-agent; implements `ToolHooks`.

    What they tell the model goes into `reminders`, `tell` shows the user a notice.
    """

    app: Application
    session_id: str
    reminders: Reminders
    tell: Callable[[str], object]
    halted: bool = False

    def any_of(self, *events: HookEvent) -> bool:
        """Whether there are hooks for one of these moments."""
        return any(self.app.hooks.of(event) for event in events)

    async def admit(self, question: str, *, source: str = "") -> None:
        """A question is about to be answered, with a `source` as the first in its session here.

        Raises `UsageError` if a hook refuses it.
        """
        told: list[str] = []
        if source:
            began = await self._run(HookEvent.SESSION_START, source=source)
            if began.halt:
                raise UsageError(_refusal(began.halt))
            if began.block:  # it cannot be refused
                self.tell(f"A hook (sessionStart) says: {_for_user(began.block)}")
            told += _told(HookEvent.SESSION_START, began)
        said = await self._run(HookEvent.PROMPT_SUBMIT, prompt=question)
        if reason := said.block or said.halt:
            raise UsageError(_refusal(reason))
        for text in (*told, *_told(HookEvent.PROMPT_SUBMIT, said)):
            self.reminders.add(text)

    def concern(self, tool: str) -> bool:
        """Whether there are hooks about a tool."""
        of = self.app.hooks.of
        return bool(of(HookEvent.BEFORE_TOOL, tool) or of(HookEvent.AFTER_TOOL, tool))

    async def before(self, tool: str, args: ToolArgs, call_id: str) -> HookAnswer:
        """What hooks say about a call that is about to be decided about."""
        if self.halted:
            return HookAnswer(block="A hook of the user ends the run.")
        said = await self._run(HookEvent.BEFORE_TOOL, tool, **_call(tool, args, call_id))
        self._heard(HookEvent.BEFORE_TOOL, said)
        return HookAnswer(
            shorten(said.block or said.halt, _REASON),
            shorten(said.ask, _REASON),
            arguments=said.arguments,
        )

    async def after(self, tool: str, args: ToolArgs, result: ToolResult, call_id: str) -> None:
        """Run hooks after a call that succeeded; what they say is told with the results."""
        response = {"text": result.text, "unsuccessful": result.unsuccessful}
        call = _call(tool, args, call_id)
        said = await self._run(HookEvent.AFTER_TOOL, tool, **call, tool_response=response)
        self._heard(HookEvent.AFTER_TOOL, said)
        if said.block:
            self.reminders.add(_reminder(HookEvent.AFTER_TOOL, said.block))
        known = self.app.tools.get(tool)
        ran = self.app.hooks.of(HookEvent.AFTER_TOOL, tool)
        if ran and known is not None and known.access not in (Access.READ, Access.NONE):
            self.app.host.sweep("a hook ran")  # such as a formatter
            await self.app.host.ready()

    async def go_on(self, time: int) -> str:
        """Why the model is to go on after an answer, for the so manieth time; "" if it is not."""
        said = await self._run(HookEvent.STOP, stop_hook_active=time > 0)
        if said.halt or not said.block:
            return ""
        return load_prompt("user/hook_stop").render(text=in_tags(shorten(said.block, _REASON)))

    async def refuses_compaction(self, trigger: str) -> str:
        """Why the conversation is not to be compacted; "" if it may be."""
        said = await self._run(HookEvent.BEFORE_COMPACTION, trigger=trigger)
        reason = said.block or said.halt
        return f"a hook of yours refuses: {_for_user(reason)}" if reason else ""

    def _heard(self, event: HookEvent, said: HookAnswer) -> None:
        if said.halt and not self.halted:
            self.halted = True
            self.tell(f"A hook ({event.setting}) ends the run: {_for_user(said.halt)}")
        for text in _told(event, said):
            self.reminders.add(text)

    async def _run(self, event: HookEvent, tool: str = "", **said: object) -> HookAnswer:
        """Run the hooks of a moment side by side; what they say together."""
        hooks = self.app.hooks.of(event, tool)
        acting = self.app.acting
        if not hooks or not acting.trust.is_trusted:
            return _NOTHING
        await self.app.ready()
        snapshot = self.app.host.snapshot()
        if not snapshot.roots:
            return _NOTHING
        try:
            shell = await asyncio.to_thread(acting.limited, snapshot)
        except UsageError as error:
            self.tell(f"Your hooks were not run. {error}")
            return _NOTHING
        if shell.open_reason is not None:
            self.tell(f"Your hooks were not run. {shell.open_reason}")
            return _NOTHING
        folder = snapshot.roots[0]
        given = {"session_id": self.session_id, "cwd": folder, "hook_event_name": event.value}
        data = json.dumps({**given, **said}).encode()
        async with asyncio.TaskGroup() as group:
            running = [
                group.create_task(self._answer(shell, event, hook, folder, data)) for hook in hooks
            ]
        answer = strictest(task.result() for task in running)
        for notice in answer.notices:
            self.tell(f"A hook ({event.setting}) says: {_for_user(notice)}")
        return answer

    async def _answer(
        self, shell: LimitedShell, event: HookEvent, hook: Hook, folder: str, data: bytes
    ) -> HookAnswer:
        said = await run_hook(shell, event, hook, folder, data)
        if isinstance(said, HookAnswer):
            return said
        name = shown(shorten(hook.command, _NAMED))
        self.tell(f"The hook `{name}` ({event.setting}) {_for_user(said)}. It counts for nothing.")
        return _NOTHING


def _call(tool: str, args: ToolArgs, call_id: str) -> dict[str, Any]:
    given = args.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {"tool_name": tool, "tool_input": given, "tool_use_id": call_id}


def _told(event: HookEvent, said: HookAnswer) -> list[str]:
    return [_reminder(event, text) for text in said.context]


def _reminder(event: HookEvent, text: str) -> str:
    return load_prompt("user/hook").render(event=event.setting, text=in_tags(text))


def _refusal(reason: str) -> str:
    return (
        f"A hook of yours refuses this question: {_for_user(reason)}\nNothing was sent. Change the"
        " question, or the hook in your settings."
    )


def _for_user(text: str) -> str:
    return shown_text(shorten(text.strip(), _REASON))
