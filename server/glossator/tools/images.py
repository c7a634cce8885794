"""Image files as the model can see them."""

from __future__ import annotations

import base64
import re
from pathlib import PurePath

from glossator.core.document import Missing
from glossator.core.tool_result import Image, ToolResult
from glossator.tools.base import Cancelled
from glossator.workspace.snapshot import WorkspaceSnapshot

MAX_BYTES = 3_750_000  # 5 MB once in base64, the Messages API's limit for one image

_SUFFIXES = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp"))
_MEDIA_TYPES = (  # by how the bytes begin: the API refuses an image of another type than it is told
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"(?s)RIFF....WEBP", "image/webp"),
)


def is_image(path: str) -> bool:
    """Whether the name is one of an image the model can look at."""
    return PurePath(path).suffix.lower() in _SUFFIXES


def read_image(_cancelled: Cancelled, snapshot: WorkspaceSnapshot, path: str) -> ToolResult:
    """The image, or why it cannot be shown."""
    content = snapshot.read_bytes(path, MAX_BYTES)
    if isinstance(content, Missing):
        return ToolResult.failed(content.told)
    media_type = next((kind for start, kind in _MEDIA_TYPES if re.match(start, content)), None)
    if media_type is None:
        return ToolResult.failed(
            f"{path} is not an image in spite of its name.\nUse Grep to look for text in it."
        )
    image = Image(media_type, base64.b64encode(content).decode())
    return ToolResult(f"{path} ({media_type}, {len(content):,} bytes)", image=image)
