"""The terminal's replies to the server's requests; the user answers one question at a time."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from glossator.cli.apply_edit import apply_edit, relative
from glossator.cli.messages import NOBODY_PERMITS, NOBODY_REVIEWS
from glossator.cli.own_programs import edit_text, open_in_browser
from glossator.cli.prompt import (
    DRAFT_HINT,
    EDIT,
    PARTS,
    VIEW,
    PermissionPrompt,
    denied_notice,
    edit_hint,
    edited,
    hunk_hint,
)
from glossator.cli.render import Display
from glossator.cli.render.renderer import Renderer
from glossator.cli.server import ResponseError
from glossator.cli.terminal import Keyboard, TerminalLock, page
from glossator.core.edit import HunkKind, HunkView, PlanView
from glossator.core.errors import UsageError
from glossator.core.permission import PermissionRequest
from glossator.core.question import Question
from glossator.core.shown import shown_prose
from glossator.core.wire import Json, WireError, from_wire
from glossator.permissions import roots_in_worktrees

METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602

_T = TypeVar("_T")
_NO_CHOICE = frozenset("y yes yep ok okay sure n no ?".split())  # of one option among several
_PART_KEYS = "ynad"
_NUMBERS = re.compile(r"\d+(?:[\s,;]+\d+)*[\s,;]*")
_NOBODY_ASKED = {"message": NOBODY_PERMITS, "asked": False}


class Replies:
    """Replies to a server's requests; without a `user`, it denies what needs an answer."""

    def __init__(
        self, display: Display, roots: Sequence[Path], lock: TerminalLock, user: User | None
    ) -> None:
        self._display = display
        self._workspace = tuple(map(str, roots))
        self._lock = lock
        self._user = user

    @property
    def _roots(self) -> tuple[str, ...]:
        """The workspace's folders, and what they are in the worktrees of its sessions."""
        inside = roots_in_worktrees(map(os.path.realpath, self._workspace))
        return (*self._workspace, *filter(os.path.isdir, inside))

    async def reply(self, method: str, params: Json) -> Json:  # noqa: PLR0911 - one for each
        """The result. Raises `ResponseError` for what a terminal cannot do."""
        match method:
            case "glossator/question" if self._user is not None:
                return await self._user.answer(_decoded(Question, params))
            case "glossator/permission":
                return await self._permit(_decoded(PermissionRequest, params))
            case "glossator/review":
                return await self._review(_decoded(PlanView, params))
            case "workspace/applyEdit":
                return await self._apply(params)
            case "workspace/configuration":  # it has no settings of its own
                return [None for _ in params["items"]]
            case "window/showDocument":
                return self._open(str(params["uri"]))
            case (
                "client/registerCapability"
                | "client/unregisterCapability"
                | "window/workDoneProgress/create"
                | "window/showMessageRequest"
            ):
                return None
            case _:
                raise ResponseError(METHOD_NOT_FOUND, f"{method} is not supported.")

    def _open(self, url: str) -> dict[str, Json]:
        """Open the address, and print it as well: the browser may be on another machine."""
        self._lock.show(partial(self._display.address, url))
        open_in_browser(url)
        return {"success": True}

    async def _permit(self, request: PermissionRequest) -> dict[str, Json]:
        if self._user is not None:
            if (plan := request.plan) is not None:
                request = replace(request, plan=self._as_read(plan))
            return await self._user.permit(request)
        self._lock.show(partial(self._display.notice, denied_notice(request)))
        return {"choice": "deny", **_NOBODY_ASKED}

    async def _review(self, plan: PlanView) -> dict[str, Json]:
        if self._user is not None:
            return await self._user.review(self._as_read(plan))
        self._lock.show(partial(self._display.notice, NOBODY_REVIEWS))
        return {"accepted": [], **_NOBODY_ASKED}

    def _as_read(self, plan: PlanView) -> PlanView:
        """The plan with paths as people read them."""
        return replace(plan, hunks=tuple(map(self._relative, plan.hunks)))

    def _relative(self, hunk: HunkView) -> HunkView:
        hunk = replace(hunk, path=relative(hunk.path, self._roots))
        if hunk.kind is not HunkKind.RENAME:
            return hunk
        before, after = (relative(path[:-1], self._roots) for path in (hunk.before, hunk.after))
        return replace(hunk, before=f"{before}\n", after=f"{after}\n")

    async def _apply(self, params: dict[str, Json]) -> Json:
        """Apply an edit; once begun, it is written to its end, even if the request is cancelled."""
        work = asyncio.create_task(asyncio.to_thread(apply_edit, params, self._roots))
        try:
            outcome = await asyncio.shield(work)
        except asyncio.CancelledError:
            outcome = await work
        for diff in outcome.diffs:
            self._lock.show(partial(self._display.diff, diff))
        return outcome.result


class User:
    """Asks with a renderer, and reads answers from a keyboard; answers are JSON."""

    def __init__(self, renderer: Renderer, keyboard: Keyboard, lock: TerminalLock) -> None:
        self.renderer = renderer
        self.keyboard = keyboard
        self.lock = lock

    async def answer(self, question: Question) -> dict[str, Json]:
        """A `QuestionAnswer`."""
        async with self._asking():
            self.renderer.question(question)
            draft = question.draft
            while True:
                line = await self.keyboard.line()
                if draft and line.strip().lower() == EDIT:
                    draft = await self._redrafted(draft)
                elif isinstance(answer := parse_answer(line, question), str):
                    self.renderer.ask_again(answer)
                else:
                    self.renderer.resume()
                    return answer if draft == question.draft else {**answer, "draft": draft}

    async def _redrafted(self, draft: str) -> str:
        """The draft as the user's own editor leaves it; an empty one counts for nothing."""
        try:
            async with self.keyboard.lend():
                changed = await edit_text(shown_prose(draft)) or draft
            said = f"{changed}\n{DRAFT_HINT}"
        except UsageError as error:
            changed, said = draft, str(error)
        self.keyboard.forget()
        self.renderer.ask_again(said)
        return changed

    async def permit(self, request: PermissionRequest) -> dict[str, Json]:
        """A `PermissionAnswer`."""
        async with self._asking():
            prompt = PermissionPrompt.of(request)
            self.renderer.permission(prompt)
            while True:
                line = await self.keyboard.line()
                key = line.strip().lower()
                if key == VIEW:
                    await self._view(prompt)
                elif key == PARTS and prompt.has_parts and request.plan is not None:
                    return _in_parts(request.plan, *await self._chosen(request.plan))
                elif prompt.is_edit(line):
                    prompt = replace(prompt, rules=await self._edited(prompt.rules))
                    self.renderer.ask_again("\n".join((*prompt.reasons, prompt.hint)))
                elif isinstance(answer := prompt.parse(line), str):
                    self.renderer.ask_again(answer)
                else:
                    self.renderer.resume()
                    return answer

    async def review(self, plan: PlanView) -> dict[str, Json]:
        """A `Review`: which hunks to apply, and the user's words."""
        async with self._asking():
            accepted, words = await self._chosen(plan)
            return {"accepted": accepted, "message": words}

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[None]:
        async with self.lock.asking():
            with self.keyboard.aside():
                yield

    async def _chosen(self, plan: PlanView) -> tuple[list[str], str]:
        """The ids of the hunks to apply, and the user's words about the others."""
        parts = [plan.hunks] if plan.as_one else [(hunk,) for hunk in plan.hunks]
        accepted: list[str] = []
        reasons: list[str] = []
        for number, part in enumerate(parts, 1):
            self.renderer.part_of_edit(part, number=number, total=len(parts))
            line = (await self.keyboard.line()).strip()
            while line.isdigit() or (len(line) == 1 and line.lower() not in _PART_KEYS):
                self.renderer.ask_again(hunk_hint(number, len(parts)))
                line = (await self.keyboard.line()).strip()
            match line.lower():
                case "y" | "yes":
                    accepted += [each.id for each in part]
                case "a":
                    accepted += [each.id for rest in parts[number - 1 :] for each in rest]
                    break
                case "d" | "":
                    break
                case "n" | "no":
                    pass
                case _:
                    reasons.append(line)
        self.renderer.resume()
        return accepted, "\n".join(reasons)

    async def _view(self, prompt: PermissionPrompt) -> None:
        async with self.keyboard.lend():
            was_paged = await page(prompt.whole)
        if not was_paged:
            self.renderer.whole(prompt.whole)
        self.keyboard.forget()
        self.renderer.ask_again(prompt.hint)

    async def _edited(self, rules: Sequence[str]) -> tuple[str, ...]:
        """The rules as the user has them, each kept, replaced or left out."""
        kept: list[str] = []
        for number, rule in enumerate(rules, 1):
            self.renderer.ask_again(edit_hint(rule, number, len(rules)))
            typed = edited(rule, await self.keyboard.line())
            kept += [] if typed is None else [typed]
        return tuple(kept)


def _in_parts(plan: PlanView, accepted: list[str], words: str) -> dict[str, Json]:
    """A `PermissionAnswer` for the hunks that were accepted, if any."""
    if not accepted:
        return {"choice": "deny", "message": words}
    parts = {"parts": accepted} if len(accepted) < len(plan.hunks) else {}
    return {"choice": "once", "message": words, **parts}


def parse_answer(line: str, question: Question) -> dict[str, Json] | str:
    """An answer as it was typed: numbers of options, a label, or words; or what is wrong with it.

    An empty line is no answer, and a lone letter, yes or no none to anything, but for a label.
    """
    labels = [option.label for option in question.options]
    line = line.strip()
    is_lone = (len(line) == 1 and line.isalpha()) or line.lower() in _NO_CHOICE
    if is_lone and line not in labels:
        line = {label.lower(): label for label in labels}.get(line.lower(), line)
    if line in labels:
        return {"chosen": [line], "words": ""}
    if is_lone:
        return f"Choose from 1 to {len(labels)}, or answer in words."
    if not _NUMBERS.fullmatch(line):
        return {"chosen": [], "words": line}
    numbers = dict.fromkeys(map(int, re.findall(r"\d+", line)))
    if not all(1 <= number <= len(labels) for number in numbers):
        return f"Choose from 1 to {len(labels)}, or answer in words."
    if len(numbers) > 1 and not question.several:
        return "Choose one of them, or answer in words."
    return {"chosen": [labels[number - 1] for number in numbers], "words": ""}


def _decoded(kind: type[_T], params: object) -> _T:
    try:
        return from_wire(kind, params, strict=False)
    except WireError as error:
        raise ResponseError(_INVALID_PARAMS, str(error)) from error
