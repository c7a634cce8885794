"""Image files as the model can see them."""

from __future__ import annotations

from glossator.core.document import Missing
from glossator.core.images import MAX_BYTES, image_of
from glossator.core.tool_result import ToolResult
from glossator.documents import WorkspaceSnapshot
from glossator.tools.base import Cancelled


def read_image(_cancelled: Cancelled, snapshot: WorkspaceSnapshot, path: str) -> ToolResult:
    """The image, or why it cannot be shown."""
    content = snapshot.read_bytes(path, MAX_BYTES)
    if isinstance(content, Missing):
        return ToolResult.failed(content.model_message)
    image = image_of(content)
    if isinstance(image, str):
        return ToolResult.failed(
            f"{path} {image}.\nIf there is text in it, use Grep to look for that."
        )
    return ToolResult(f"{path} ({image.media_type}, {len(content):,} bytes)", image=image)
