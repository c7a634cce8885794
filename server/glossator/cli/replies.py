"""What a terminal answers to a server's requests; questions are put to the user."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from glossator.cli.apply_edit import apply_edit, relative
from glossator.cli.errors import ResponseError
from glossator.cli.floor import Floor
from glossator.cli.keyboard import Keyboard
from glossator.cli.messages import NOBODY_PERMITS, NOBODY_REVIEWS, denied_notice
from glossator.cli.pager import page
from glossator.cli.permitting import VIEW, Prompt, edit_hint, edited
from glossator.cli.render.renderer import Renderer
from glossator.cli.session import ENCODING
from glossator.cli.wire import (
    EditPlan,
    Json,
    PermissionAnswer,
    PermissionRequest,
    Question,
    QuestionAnswer,
    Review,
)

METHOD_NOT_FOUND = -32601

_NO_CHOICE = frozenset("y yes yep ok okay sure n no ?".split())  # of one option among several
_NUMBERS = re.compile(r"\d+(?:[\s,;]+\d+)*[\s,;]*")


class Replies:
    """Answers a server's requests; without a `keyboard`, nobody is there to be asked."""

    def __init__(
        self, renderer: Renderer, roots: Sequence[Path], floor: Floor, keyboard: Keyboard | None
    ) -> None:
        self._renderer = renderer
        self._roots = tuple(map(str, roots))
        self._floor = floor
        self._keyboard = keyboard

    async def reply(self, method: str, params: Json) -> Json:
        """The result. Raises `ResponseError` for what a terminal cannot do."""
        match method:
            case "glossator/question" if self._keyboard is not None:
                return await self.ask(params)
            case "glossator/permission":
                return await self._permit(params)
            case "glossator/review":
                return await self._review(params)
            case "workspace/applyEdit":
                return await self._apply(params)
            case "workspace/configuration":  # it has no settings of its own
                return [None for _ in params["items"]]
            case (
                "client/registerCapability"
                | "client/unregisterCapability"
                | "window/workDoneProgress/create"
                | "window/showMessageRequest"
            ):
                return None
            case _:
                raise ResponseError(METHOD_NOT_FOUND, f"{method} is not supported.")

    async def ask(self, question: Question) -> QuestionAnswer:
        """What the user answers; nothing where nobody is there."""
        if self._keyboard is None:
            return {"chosen": [], "words": ""}
        async with self._floor.asking():
            self._keyboard.forget()
            self._renderer.question(question)
            line = self._keyboard.line
            while isinstance(answer := parse_answer(await line(), question), str):
                self._renderer.ask_again(answer)
            self._renderer.resume()
            return answer

    async def _decide(self, request: PermissionRequest, keyboard: Keyboard) -> PermissionAnswer:
        prompt = Prompt.of(request)
        keyboard.forget()
        self._renderer.permission(prompt)
        while True:
            line = await keyboard.line()
            if line.strip().lower() == VIEW:
                if not await page(prompt.whole):
                    self._renderer.whole(prompt.whole)
                keyboard.forget()
                self._renderer.ask_again(prompt.hint)
            elif prompt.is_edit(line):
                prompt = replace(prompt, rules=await self._edited(prompt.rules, keyboard))
                self._renderer.ask_again("\n".join((*prompt.reasons, prompt.hint)))
            elif isinstance(answer := prompt.parse(line), str):
                self._renderer.ask_again(answer)
            else:
                self._renderer.resume()
                return answer

    async def _edited(self, rules: Sequence[str], keyboard: Keyboard) -> tuple[str, ...]:
        """The rules as the user has them, each kept, replaced or left out."""
        kept: list[str] = []
        for number, rule in enumerate(rules, 1):
            self._renderer.ask_again(edit_hint(rule, number, len(rules)))
            typed = edited(rule, await keyboard.line())
            kept += [] if typed is None else [typed]
        return tuple(kept)

    async def _permit(self, request: PermissionRequest) -> PermissionAnswer:
        if self._keyboard is None:
            self._floor.show(partial(self._renderer.notice, denied_notice(request)))
            return {"choice": "deny", "message": NOBODY_PERMITS, "asked": False}
        async with self._floor.asking():
            return await self._decide(request, self._keyboard)

    async def _review(self, plan: EditPlan) -> Review:
        if self._keyboard is None:
            self._floor.show(partial(self._renderer.notice, NOBODY_REVIEWS))
            return {"accepted": [], "message": NOBODY_PERMITS, "asked": False}
        async with self._floor.asking():
            return await self._choose(plan, self._keyboard)

    async def _choose(self, plan: EditPlan, keyboard: Keyboard) -> Review:
        accepted: list[str] = []
        reasons: list[str] = []
        hunks = plan["hunks"]
        keyboard.forget()
        for number, hunk in enumerate(hunks, 1):
            hunk["path"] = relative(hunk["path"], self._roots)
            if hunk["kind"] == "rename":
                hunk["before"] = relative(hunk["before"][:-1], self._roots) + "\n"
                hunk["after"] = relative(hunk["after"][:-1], self._roots) + "\n"
            self._renderer.hunk(hunk, number=number, total=len(hunks))
            line = (await keyboard.line()).strip()
            match line.lower():
                case "y" | "yes":
                    accepted.append(hunk["id"])
                case "a":
                    accepted += [each["id"] for each in hunks[number - 1 :]]
                    break
                case "d" | "":
                    break
                case "n" | "no":
                    pass
                case _:
                    reasons.append(line)
        self._renderer.resume()
        return {"accepted": accepted, "message": "\n".join(reasons)}

    async def _apply(self, params: Json) -> Json:
        """What is being written is written to its end, even if nobody wants to know any more."""
        work = asyncio.create_task(asyncio.to_thread(apply_edit, params, self._roots, ENCODING))
        try:
            outcome = await asyncio.shield(work)
        except asyncio.CancelledError:
            outcome = await work
        for diff in outcome.diffs:
            self._floor.show(partial(self._renderer.diff, diff))
        return outcome.result


def parse_answer(line: str, question: Question) -> QuestionAnswer | str:
    """An answer as it was typed: numbers of options, a label, or words; or what is wrong with it.

    An empty line is no answer, and a lone letter, yes or no none to anything, but for a label.
    """
    labels = [option["label"] for option in question["options"]]
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
    if len(numbers) > 1 and not question["several"]:
        return "Choose one of them, or answer in words."
    return {"chosen": [labels[number - 1] for number in numbers], "words": ""}
