"""What a server answers, as the model sees it: data in tags, bounded, images as images."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glossator.core.images import Image, image_of
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_text
from glossator.core.tool_result import ToolResult

if TYPE_CHECKING:
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

    Block = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
    Contents = TextResourceContents | BlobResourceContents

MAX_BYTES = 60_000  # of a result that the model sees: some 20,000 tokens
_OUTCOME = 160  # characters of the line for people
_IMAGES = (
    10  # of one result, which stay in the conversation: a request with more than 20 has limits
)
_IMAGE_BYTES = 5_000_000  # of them together, in base64: what the largest image has alone

Parts = tuple[list[str], list[Image]]


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
    """The result for the model from a byte on; `number` is that by which the rest can be read."""
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
    outcome = first if len(first) <= _OUTCOME else f"{first[: _OUTCOME - 1]}…"
    return ToolResult(told + left_out, omitted=1 if left else 0, images=images, outcome=outcome)


def _fitting(images: Iterable[Image]) -> tuple[tuple[Image, ...], str]:
    """The images that fit the budget of a result, and lines on what changed and what is missing."""
    shown_images: list[Image] = []
    left, missing = _IMAGE_BYTES, 0
    for image in images:
        if len(shown_images) < _IMAGES and len(image.data) <= left:
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
        f" {_IMAGES}, of together {_IMAGE_BYTES:,} bytes in base64. Ask for fewer or smaller ones.]"
    )
    return tuple(shown_images), changes + (told if missing else "")


def page(text: str, offset: int) -> tuple[str, int]:
    """At most `MAX_BYTES` of a text from the byte `offset` on, and how many bytes follow."""
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
    """Text and images within the budgets of a result, which say what was left out."""
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
