"""Image files as the model can see them."""

from __future__ import annotations

import base64
from pathlib import PurePath

from glossator.core.document import Missing
from glossator.core.tool_result import Image, ToolResult
from glossator.tools.base import Cancelled
from glossator.workspace.snapshot import WorkspaceSnapshot

MAX_BYTES = 3_750_000  # 5 MB once in base64, the Messages API's limit for one image

_MEDIA_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


def is_image(path: str) -> bool:
    """Whether the name is one of an image the model can look at."""
    return PurePath(path).suffix.lower() in _MEDIA_TYPES


def read_image(_cancelled: Cancelled, snapshot: WorkspaceSnapshot, path: str) -> ToolResult:
    """The image, or why it cannot be shown."""
    content = snapshot.read_bytes(path, MAX_BYTES)
    if isinstance(content, Missing):
        return ToolResult.failed(content.message)
    media_type = _MEDIA_TYPES[PurePath(path).suffix.lower()]
    image = Image(media_type, base64.b64encode(content).decode())
    return ToolResult(f"{path} ({media_type}, {len(content):,} bytes)", image=image)
