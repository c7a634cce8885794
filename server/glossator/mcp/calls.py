"""Calls to servers, and their results as the model sees them: bounded, data in tags, with images.

Waiting for the user does not count in the time limit of a call. The rest of a long result is kept.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import math
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from glossator.core.errors import UsageError
from glossator.core.images import Image, image_of
from glossator.core.ports import Activity
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_text
from glossator.core.tool_result import ToolResult, shorten
from glossator.mcp.elicitation import Ask
from glossator.mcp.offered import OfferedPrompt, OfferedTool, line_of
from glossator.mcp.supervisor import Supervisor, reason

if TYPE_CHECKING:
    from mcp.shared.dispatcher import ProgressFnT
    from mcp_types import (
        AudioContent,
        BlobResourceContents,
        CallToolResult,
        EmbeddedResource,
        GetPromptResult,
        ImageContent,
        ReadResourceResult,
        ResourceLink,
        TextContent,
        TextResourceContents,
    )

    from glossator.mcp.connection import Connection

    Block = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
    Contents = TextResourceContents | BlobResourceContents


Began = Callable[[Callable[[], object]], object]
Begin = Callable[[str, Callable[[], object]], Activity]
Parts = tuple[list[str], list[Image]]
T = TypeVar("T")

MAX_BYTES = 60_000  # of a result that the model sees: some 20,000 tokens

_MAX_KEPT = 8  # results whose rest can be read
_KEPT_BYTES = 4_000_000  # of each
_MIN_WAIT_SECONDS = 0.05  # seconds
_OUTCOME_CHARACTERS = 160  # characters of the line for people
_MAX_IMAGES = 10  # of a result; they stay in the conversation, and requests may have some 20
_IMAGE_BYTES = 5_000_000  # of them together, in base64: what the largest image has alone


class Calls:
    """`connected` gives a server that can be called, or raises `UsageError`."""

    def __init__(self, connected: Callable[[str], Supervisor], seconds: float) -> None:
        self._connected = connected
        self._seconds = seconds
        self._results: OrderedDict[int, CallResult] = OrderedDict()
        self._count = 0

    async def tool(
        self,
        tool: OfferedTool,
        arguments: dict[str, Any],
        ask: Ask,
        progress: ProgressFnT,
        began: Began = lambda _: None,
    ) -> tuple[CallResult, int | None]:
        """The result of a call, and the number by which its rest can be read.

        `began` is given what ends the call, for a user who does not want to wait. Raises
        `UsageError` for a server that is not connected, a failure, and a call that takes too long.
        A call that is given up is cancelled on the server.
        """

        def work(connection: Connection) -> Coroutine[Any, Any, Any]:
            return connection.call(tool.own, arguments, progress)

        result = call_result(
            await self._done(tool.server, tool.name, work, ask, began), tool.server
        )
        number = None
        if MAX_BYTES < len(result.text) <= _KEPT_BYTES:
            self._count = number = self._count + 1
            self._results[number] = result
            while len(self._results) > _MAX_KEPT:
                self._results.popitem(last=False)
        return result, number

    def kept(self, number: int) -> CallResult | None:
        """A kept result, whose rest can be read."""
        return self._results.get(number)

    async def read(
        self, server: str, uri: str, ask: Ask, seconds: float = math.inf
    ) -> tuple[str, tuple[Image, ...]]:
        """What a resource holds, if it comes within `seconds`, too. Raises `UsageError`."""
        read = await self._done(server, shown(uri), lambda its: its.read(uri), ask, seconds=seconds)
        return resource_text(read)

    async def prompt(
        self, prompt: OfferedPrompt, words: str, ask: Ask
    ) -> tuple[str, tuple[Image, ...]]:
        """The text of a prompt; the words after its name are its arguments. Raises `UsageError`."""
        given = _arguments(prompt, words)
        got = await self._done(
            prompt.server, prompt.name, lambda its: its.prompt(prompt.own, given), ask
        )
        return prompt_text(got)

    async def _done(
        self,
        server: str,
        what: str,
        work: Callable[[Connection], Coroutine[Any, Any, T]],
        ask: Ask,
        began: Began = lambda _: None,
        seconds: float = math.inf,
    ) -> T:
        """What the work gives, within `seconds` and the time limit. Raises `UsageError`."""
        most = min(seconds, self._seconds)
        running = self._connected(server)
        assert running.connection is not None  # noqa: S101 - it is ready
        now = asyncio.get_running_loop().time
        with running.asking(ask) as asking:
            task = asyncio.create_task(work(running.connection))
            began(task.cancel)
            start, late = now(), False
            try:
                while not task.done():
                    left = most - (now() - start - asking.waited)
                    if late := left <= 0 and not asking.is_open:
                        break
                    await asyncio.wait({task}, timeout=max(left, _MIN_WAIT_SECONDS))
            finally:
                if not task.done():
                    task.cancel()
                    await asyncio.wait({task})
        if task.cancelled() and not late:
            raise UsageError(f"The user ended {what}.\nAsk the user how to go on.")
        if task.cancelled():
            setting = "" if most < self._seconds else " (mcp.seconds)"
            raise UsageError(
                f"{what} of the MCP server {server} did not answer within {most:g} s{setting},"
                " so it was cancelled.\nAsk for less, or go on without it."
            )
        if (error := task.exception()) is not None:
            why = reason(error)
            raise UsageError(
                f"{what} of the MCP server {server} failed: {why}.\nCorrect it, or do without."
            )
        return task.result()


@dataclass(slots=True)
class ShownProgress:
    """Shows how far a call is, once its server reports progress."""

    title: str
    begin: Begin
    cancel: Callable[[], object] | None = None
    activity: Activity | None = None

    def began(self, cancel: Callable[[], object]) -> None:
        """The call can be ended so."""
        self.cancel = cancel

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Take the server's report."""
        if self.activity is None and self.cancel is not None:
            self.activity = self.begin(self.title, self.cancel)
        share = min(max(progress / total, 0), 1) if total else 0
        if self.activity is not None:
            self.activity.report(shorten(line_of(message), 100), round(100 * share))

    def end(self) -> None:
        """The call is over."""
        if self.activity is not None:
            self.activity.end()


def _arguments(prompt: OfferedPrompt, words: str) -> dict[str, str]:
    """The words as arguments: one word for each, and all that is left for the last."""
    given = words.split(maxsplit=len(prompt.arguments) - 1) if prompt.arguments else []
    arguments = dict(zip(prompt.arguments, given, strict=False))
    if [each for each in prompt.arguments if each in prompt.needed - arguments.keys()]:
        form = " ".join(f"<{shown(each)}>" for each in prompt.arguments)
        raise UsageError(f"/{prompt.name} needs more words after it: /{prompt.name} {form}")
    return arguments


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call gave: all of its text, the images, and whether the server says it failed."""

    server: str
    text: str
    images: tuple[Image, ...] = ()
    failed: bool = False


def call_result(result: CallToolResult, server: str) -> CallResult:
    """What a server answered to a call; structured content stands in where there is no text."""
    texts, images = _parts(result.content)
    structured = result.structured_content
    if structured is not None and not "".join(texts).strip():
        texts = [json.dumps(structured, ensure_ascii=False, indent=1), *texts]
    return CallResult(server, shown_text("\n".join(texts)), tuple(images), bool(result.is_error))


def as_tool_result(result: CallResult, offset: int = 0, number: int | None = None) -> ToolResult:
    """The result for the model, from a byte on; by `number` its rest can be read."""
    text, left = page(result.text, offset)
    told = load_prompt("tools/mcp_result").render(server=result.server, result=in_tags(text))
    if left and number is not None:
        told += (
            f"\n[{left:,} more bytes: McpRead with result {number} and offset"
            f" {offset + MAX_BYTES} shows the next ones.]"
        )
    elif left:
        told += f"\n[{left:,} more bytes are not kept. Ask for less of it.]"
    if result.failed:  # the provider takes no image with an error
        told += f"\n[{len(result.images)} images are not shown.]" if result.images else ""
        return ToolResult(f"The MCP server {result.server} reports an error.\n{told}", error=True)
    images, left_out = ((), "") if offset else _fitting(result.images)
    first = text.strip().partition("\n")[0] or ("an image" if images else "nothing")
    outcome = first if len(first) <= _OUTCOME_CHARACTERS else f"{first[: _OUTCOME_CHARACTERS - 1]}…"
    return ToolResult(told + left_out, omitted=1 if left else 0, images=images, outcome=outcome)


def _fitting(images: Iterable[Image]) -> tuple[tuple[Image, ...], str]:
    """The images that fit the budget of a result, and lines on what was changed or left out."""
    shown_images: list[Image] = []
    left, missing = _IMAGE_BYTES, 0
    for image in images:
        if len(shown_images) < _MAX_IMAGES and len(image.data) <= left:
            shown_images.append(image)
            left -= len(image.data)
        else:
            missing += 1
    changes = "".join(
        f"\n[Image {number} was {image.change}.]"
        for number, image in enumerate(shown_images, 1)
        if image.change
    )
    told = (
        f"\n[{missing} of {len(shown_images) + missing} images are not shown: one result may have"
        f" {_MAX_IMAGES}, of together {_IMAGE_BYTES:,} bytes in base64. Ask for fewer or smaller"
        " ones.]"
    )
    return tuple(shown_images), changes + (told if missing else "")


def page(text: str, offset: int) -> tuple[str, int]:
    """A part of a text from the byte `offset` on, and how many bytes follow it."""
    content = text.encode("utf-8", "backslashreplace")
    part = content[offset : offset + MAX_BYTES]
    return part.decode("utf-8", "ignore"), max(len(content) - offset - MAX_BYTES, 0)


def resource_text(result: ReadResourceResult) -> tuple[str, tuple[Image, ...]]:
    """What a resource holds: text and images."""
    texts, images = [], []
    for contents in result.contents:
        text, image = _contents(contents)
        texts.append(text)
        images += [image] if image is not None else []
    return _within(shown_text("\n".join(filter(None, texts))), images)


def prompt_text(result: GetPromptResult) -> tuple[str, tuple[Image, ...]]:
    """The messages of a prompt, one after the other, and the images in them."""
    texts, images = _parts(message.content for message in result.messages)
    return _within(shown_text("\n\n".join(texts)), images)


def _within(text: str, images: Iterable[Image]) -> tuple[str, tuple[Image, ...]]:
    """The text and images within a result's budgets, with a note on what was left out."""
    told, left = page(text, 0)
    fitting, left_out = _fitting(images)
    return told + (f"\n[{left:,} more bytes are not shown.]" if left else "") + left_out, fitting


def _parts(blocks: Iterable[Block]) -> Parts:
    texts: list[str] = []
    images: list[Image] = []
    for block in blocks:
        for part in _part(block):
            (images if isinstance(part, Image) else texts).append(part)  # type: ignore[arg-type]
    return texts, images


def _part(block: Block) -> Iterator[str | Image]:
    match block.type:
        case "text":
            yield block.text
        case "image":
            yield _image(block.data)
        case "audio":
            yield f"[Audio of the type {shown(block.mime_type)}, which is not passed on.]"
        case "resource_link":
            about = " ".join(filter(None, (block.title or block.name, block.description)))
            yield f"[A resource: {shown(block.uri)} ({shown(about)})]"
        case "resource":
            text, image = _contents(block.resource)
            yield text
            if image is not None:
                yield image


def _contents(contents: Contents) -> tuple[str, Image | None]:
    if (text := getattr(contents, "text", None)) is not None:
        return str(text), None
    kind = contents.mime_type or "unknown"
    found = _image(str(getattr(contents, "blob", "")))
    if kind.startswith("image/") and isinstance(found, Image):
        return "", found
    return f"[{shown(contents.uri)} is binary (type {shown(kind)}) and is not passed on.]", None


def _image(data: str) -> Image | str:
    """The image, or why there is none."""
    try:
        found = image_of(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return "[An image that is not base64.]"
    return found if isinstance(found, Image) else f"[An image that {found}.]"
