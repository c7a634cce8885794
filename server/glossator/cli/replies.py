"""What a terminal answers to a server's requests; questions are put to the user."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from glossator.cli.apply_edit import apply_edit
from glossator.cli.errors import ResponseError
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

_LETTERS = {"once": "y", "session": "s", "always": "a", "deny": "n"}
_NUMBERS = re.compile(r"\d+(?:[\s,;]+\d+)*[\s,;]*")


class Replies:
    """Answers one request after the other: a terminal has one user."""

    def __init__(self, renderer: Renderer, roots: Sequence[Path]) -> None:
        self._renderer = renderer
        self._roots = tuple(map(str, roots))
        self._turn = asyncio.Lock()

    async def reply(self, method: str, params: Json) -> Json:
        """The result. Raises `ResponseError` for what a terminal cannot do."""
        match method:
            case "glossator/question":
                async with self._turn:
                    return await self._ask(params)
            case "glossator/permission":
                async with self._turn:
                    return await self._permit(params)
            case "glossator/review":
                async with self._turn:
                    return await self._review(params)
            case "workspace/applyEdit":
                return self._apply(params)
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

    async def _ask(self, question: Question) -> QuestionAnswer:
        self._renderer.question(question)
        while True:
            answer = parse_answer(await _read_line(), question)
            if isinstance(answer, str):
                self._renderer.notice(answer)
            else:
                return answer

    async def _permit(self, request: PermissionRequest) -> PermissionAnswer:
        self._renderer.permission(request)
        return parse_permission(await _read_line(), request)

    async def _review(self, plan: EditPlan) -> Review:
        accepted: list[str] = []
        hunks = plan["hunks"]
        for number, hunk in enumerate(hunks, 1):
            self._renderer.hunk(hunk, number=number, total=len(hunks))
            match (await _read_line()).strip().lower():
                case "y":
                    accepted.append(hunk["id"])
                case "a":
                    accepted += [each["id"] for each in hunks[number - 1 :]]
                    break
                case "d" | "":
                    break
                case "n":
                    pass
                case words:
                    return {"accepted": accepted, "message": words}
        return {"accepted": accepted, "message": ""}

    def _apply(self, params: Json) -> Json:
        outcome = apply_edit(params, self._roots, ENCODING)
        for diff in outcome.diffs:
            self._renderer.diff(diff)
        return outcome.result


def parse_permission(line: str, request: PermissionRequest) -> PermissionAnswer:
    """A decision as it was typed; whatever is not one of the letters is a denial, in words."""
    letters = {_LETTERS[choice]: choice for choice in request["choices"]}
    line = line.strip()
    if (choice := letters.get(line.lower())) is not None:
        return {"choice": choice, "message": ""}
    return {"choice": "deny", "message": line}


def parse_answer(line: str, question: Question) -> QuestionAnswer | str:
    """An answer as it was typed: numbers of options, a label, or words; or what is wrong with it.

    An empty line is no answer.
    """
    labels = [option["label"] for option in question["options"]]
    line = line.strip()
    if line in labels:
        return {"chosen": [line], "words": ""}
    if not _NUMBERS.fullmatch(line):
        return {"chosen": [], "words": line}
    numbers = dict.fromkeys(map(int, re.findall(r"\d+", line)))
    if not all(1 <= number <= len(labels) for number in numbers):
        return f"Choose from 1 to {len(labels)}, or answer in words."
    if len(numbers) > 1 and not question["several"]:
        return "Choose one of them, or answer in words."
    return {"chosen": [labels[number - 1] for number in numbers], "words": ""}


async def _read_line() -> str:
    """The next line of standard input; "" at its end.

    In a thread that does not keep the program from ending, for a line may never come.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def settle(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        text = sys.stdin.readline()
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, text)

    threading.Thread(target=read, name="answer", daemon=True).start()
    return await line
