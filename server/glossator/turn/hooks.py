"""Hooks in conversations: when they run, what they are told, and how their answers are used.

They run in the sandbox of commands, and only in a trusted folder. Hooks that the workspace brings
must also be adopted exactly as they would run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from glossator.application import Application, WorkspaceNow
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.core.looks import look
from glossator.core.permission import Access, Mode
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_text
from glossator.core.tool_result import ToolResult, shorten
from glossator.hooks import (
    KIND,
    HookAnswer,
    HookEvent,
    KnownHook,
    arguments_of,
    input_of,
    mode_of,
    proposed_hooks,
    run_hook,
    strictest,
)
from glossator.sandbox import LimitedShell
from glossator.sessions import Reminders
from glossator.tools import ToolArgs
from glossator.workspace import WorkspaceSnapshot

_NAMED_CHARACTERS = 80  # characters of a command in a notice
_REASON = 2_000  # characters of a reason or a notice
_NOTHING = HookAnswer()

WasTold = Callable[[str], bool]  # whether a text stands in the conversation


@dataclass(slots=True)
class SessionHooks:
    """Runs the hooks of one conversation or sub-agent; implements `ToolHooks`.

    What hooks tell the model goes into `reminders`; `tell` shows the user a notice. Hooks are told
    `mode`, or the session's mode if there is none.
    """

    app: Application
    session_id: str
    reminders: Reminders
    tell: Callable[[str], object]
    halted: bool = False
    mode: Mode | None = None

    def any_of(self, *events: HookEvent) -> bool:
        """Whether there are hooks for any of these moments."""
        hooks = self.app.hooks
        return bool(hooks.own or hooks.adopted) and any(hooks.of(event) for event in events)

    async def admit(self, question: str, was_told: WasTold, *, source: str = "") -> None:
        """Ask the hooks about a question; a session's first question here has a `source`.

        A hook's note is left out if it equals the last question's note and the model can still read
        that one (`was_told`). Raises `UsageError` if a hook refuses the question.
        """
        told: list[str] = []
        if source:
            began = await self._run(HookEvent.SESSION_START, source, source=source)
            if began.halt:
                raise UsageError(_refusal(began.halt))
            self._tell_block(began)
            told += _told(HookEvent.SESSION_START, began)
        said = await self._run(HookEvent.PROMPT_SUBMIT, prompt=question)
        if reason := said.block or said.halt:
            raise UsageError(_refusal(reason))
        notes = tuple(_told(HookEvent.PROMPT_SUBMIT, said))
        before = self.app.hooks.notes.get(self.session_id, ())
        self.app.hooks.notes[self.session_id] = notes
        told += (each for each in notes if each not in before or not was_told(each))
        self.reminders.add(*told)

    def concern(self, tool: str) -> bool:
        """Whether there are hooks about this tool."""
        of = self.app.hooks.of
        return bool(of(HookEvent.BEFORE_TOOL, tool) or of(HookEvent.AFTER_TOOL, tool))

    async def before(self, tool: str, args: ToolArgs, call_id: str) -> HookAnswer:
        """Run the hooks about a call whose permission is about to be decided; what they say."""
        if self.halted:
            return HookAnswer(block="A hook of the user ends the run.")
        call = await self._call(tool, args, call_id)
        said = await self._run(HookEvent.BEFORE_TOOL, tool, **call)
        self._heard(HookEvent.BEFORE_TOOL, said)
        return HookAnswer(
            shorten(said.block or said.halt, _REASON),
            shorten(said.ask, _REASON),
            arguments=None if said.arguments is None else arguments_of(tool, said.arguments),
        )

    async def after(self, tool: str, args: ToolArgs, result: ToolResult, call_id: str) -> None:
        """Run the hooks after a call that succeeded; what they say is told with the results."""
        response = {"text": result.text, "unsuccessful": result.unsuccessful}
        call = await self._call(tool, args, call_id)
        said = await self._run(HookEvent.AFTER_TOOL, tool, **call, tool_response=response)
        self._heard(HookEvent.AFTER_TOOL, said)
        if said.block:
            self.reminders.add(_reminder(HookEvent.AFTER_TOOL, said.block))
        known = self.app.tools.get(tool)
        ran = self.app.hooks.of(HookEvent.AFTER_TOOL, tool)
        if ran and known is not None and known.access not in (Access.READ, Access.NONE):
            self.app.host.sweep("a hook ran")  # such as a formatter
            await self.app.host.ready()

    async def go_on(self, times: int) -> str:
        """Why the model must go on after so many answers; "" if it need not."""
        said = await self._run(HookEvent.STOP, stop_hook_active=times > 0)
        if said.halt or not said.block:
            return ""
        return load_prompt("user/hook_stop").render(text=in_tags(shorten(said.block, _REASON)))

    async def refuses_compaction(self, trigger: str) -> str:
        """Why the conversation must not be compacted; "" if it may be."""
        said = await self._run(HookEvent.BEFORE_COMPACTION, trigger, trigger=trigger)
        reason = said.block or said.halt
        return f"a hook of yours refuses: {_for_user(reason)}" if reason else ""

    async def compacted(self) -> None:
        """Run the hooks of a session's start again, since the compaction dropped what they said.

        What they say now goes with the next message.
        """
        said = await self._run(HookEvent.SESSION_START, "compact", source="compact")
        self._tell_block(said)
        self._heard(HookEvent.SESSION_START, said)

    def _tell_block(self, began: HookAnswer) -> None:
        """Tell the user that a hook of a session's start tried to refuse it, which it cannot."""
        if began.block:
            self.tell(f"A hook (sessionStart) says: {_for_user(began.block)}")

    def _heard(self, event: HookEvent, said: HookAnswer) -> None:
        if said.halt and not self.halted:
            self.halted = True
            self.tell(f"A hook ({event.setting}) ends the run: {_for_user(said.halt)}")
        for text in _told(event, said):
            self.reminders.add(text)

    async def _call(self, tool: str, args: ToolArgs, call_id: str) -> dict[str, Any]:
        locate = self.app.host.snapshot().folders.locate
        given = await asyncio.to_thread(input_of, tool, args.of_tool(), locate)
        return {"tool_name": tool, "tool_input": given, "tool_use_id": call_id}

    async def _run(self, event: HookEvent, about: str = "", **said: object) -> HookAnswer:
        """Run the hooks of one moment side by side, and combine what they say."""
        acting, before = self.app.acting, self.app.hooks.of(event, about)
        if not before or not acting.trust.is_trusted:
            return _NOTHING
        await self.app.ready()
        snapshot = self.app.host.snapshot()
        hooks = await self._as_adopted(before, snapshot)
        if not snapshot.roots or not hooks:
            return _NOTHING
        try:
            shell = await asyncio.to_thread(acting.limited, snapshot)
        except UsageError as error:
            self.tell(f"The hooks that you set up or adopted were not run. {error}")
            return _NOTHING
        if shell.open_reason is not None:
            self.tell(f"The hooks that you set up or adopted were not run. {shell.open_reason}")
            return _NOTHING
        given = {
            "session_id": self.session_id,
            "hook_event_name": event.value,
            "permission_mode": mode_of(self.mode or acting.modes.of(self.session_id)),
            **said,
        }
        async with asyncio.TaskGroup() as group:
            running = [
                group.create_task(
                    self._answer(shell, each, each.folder or snapshot.roots[0], given)
                )
                for each in hooks
            ]
        answer = strictest(task.result() for task in running)
        for notice in answer.notices:
            self.tell(f"A hook ({event.setting}) says: {_for_user(notice)}")
        return answer

    async def _as_adopted(
        self, before: tuple[KnownHook, ...], snapshot: WorkspaceSnapshot
    ) -> tuple[KnownHook, ...]:
        """The hooks that are still exactly what the user adopted."""
        if not any(each.folder for each in before):
            return before
        await _look(self.app, snapshot, self.tell)
        adopted = frozenset(self.app.hooks.adopted)
        return tuple(each for each in before if not each.folder or each in adopted)

    async def _answer(
        self, shell: LimitedShell, known: KnownHook, folder: str, given: Mapping[str, object]
    ) -> HookAnswer:
        event, hook = known.event, known.hook
        data = json.dumps({**given, "cwd": folder}).encode()
        said = await run_hook(shell, event, hook, folder, data)
        if isinstance(said, HookAnswer):
            return said
        name = shown(shorten(hook.command, _NAMED_CHARACTERS))
        self.tell(f"The hook `{name}` ({event.setting}) {_for_user(said)}. It counts for nothing.")
        return _NOTHING


async def session_hooks(
    app: Application, session_id: str, reminders: Reminders, tell: Callable[[str], object]
) -> SessionHooks:
    """The hooks of a conversation; those of the workspace are read now."""
    await _look(app, app.host.snapshot(), tell)
    return SessionHooks(app, session_id, reminders, tell)


async def left_out_hooks(app: Application, now: WorkspaceNow) -> tuple[str, ...]:
    """The hooks of the workspace that are not run, counted as in `2 hooks`; may be empty."""
    trusted, off = now.trusted, now.is_off(ContextKind.HOOK)
    found = (await look(proposed_hooks, now.snapshot, hashed=trusted)).hooks
    wanted = [each for each in found if each.hook is not None and each.id not in off]
    count = sum(not (trusted and app.hooks.is_adopted(each)) for each in wanted)
    return (f"{count} hook{'s' if count > 1 else ''}",) if count else ()


async def _look(
    app: Application, snapshot: WorkspaceSnapshot, tell: Callable[[str], object]
) -> None:
    """Read the hooks of the workspace; tell, once, which of them differ from what was adopted."""
    if not (app.hooks.adopted or app.approvals.any_of(KIND, snapshot.roots)):
        return
    for changed in await app.hooks.look(snapshot, trusted=app.acting.trust.trusts(snapshot.roots)):
        tell(
            f"The hook {changed} of this workspace does not run: it is not as you adopted it any"
            " more. `glossator hooks` lists it."
        )


def _told(event: HookEvent, said: HookAnswer) -> list[str]:
    return [_reminder(event, text) for text in said.context]


def _reminder(event: HookEvent, text: str) -> str:
    return load_prompt("user/hook").render(event=event.setting, text=in_tags(text))


def _refusal(reason: str) -> str:
    return (
        f"A hook of yours refuses this question: {_for_user(reason)}\nNothing was sent. Change the"
        " question, or the hook: `glossator hooks` lists those that you set up or adopted."
    )


def _for_user(text: str) -> str:
    return shown_text(shorten(text.strip(), _REASON))
