"""Images as a model can see them: what they are by their bytes, and how large they may be.

One that is too large is made smaller by Pillow, which is optional. Source: the provider's "Vision".
"""

from __future__ import annotations

import base64
import io
import re
import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePath

MAX_BYTES = 3_750_000  # 5 MB once in base64, the Messages API's limit for one image
MAX_SIDE = 8_000  # pixels; a larger image is refused, and with it the conversation it stands in

_SUFFIXES = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp"))
_MEDIA_TYPES = (  # by the first bytes: the API refuses an image of another type than declared
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"(?s)RIFF....WEBP", "image/webp"),
)
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # segments that tell the size
MAX_SCALED_BYTES = 40_000_000  # of an image that is made smaller
SCALED_SIDE = 2_000  # pixels; the most that a model takes of one of many images
_HOW_TO_SCALE = "pip install 'glossator[images]' has larger ones made smaller"
_MAX_SCALED_PIXELS = 120_000_000  # decoding takes four bytes for each


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for the model: its media type, and its bytes in base64.

    `change` says what became of its size, "" if it is as it was.
    """

    media_type: str
    data: str
    change: str = ""

    def described(self, name: str, size: int) -> str:
        """The image in a line: `a.png (image/png, 5,000 bytes)`; `size` is the file's."""
        change = f"; {self.change}" if self.change else ""
        return f"{name} ({self.media_type}, {size:,} bytes{change})"


def is_image(path: str) -> bool:
    """Whether the file name is that of an image that models can see."""
    return PurePath(path).suffix.lower() in _SUFFIXES


def image_of(content: bytes) -> Image | str:
    """The image in the bytes, made smaller if it is too large and Pillow is installed.

    If that fails, what is wrong with it, as the end of a sentence.
    """
    media_type = next((kind for start, kind in _MEDIA_TYPES if re.match(start, content)), None)
    if media_type is None:
        return "is not an image that models can see: PNG, JPEG, GIF or WebP"
    width, height = _size(content, media_type)
    too_large = ""
    if len(content) > MAX_BYTES:
        too_large = f"has {len(content):,} bytes; an image may have {MAX_BYTES:,}"
    elif max(width, height) > MAX_SIDE:
        too_large = f"has {width:,} x {height:,} pixels; an image may have {MAX_SIDE:,} a side"
    if not too_large:
        return Image(media_type, base64.b64encode(content).decode())
    smaller = scaled(content)
    if smaller is None or len(smaller) > MAX_BYTES:
        return too_large if smaller is not None else f"{too_large} ({_HOW_TO_SCALE})"
    kind = "image/png" if smaller.startswith(b"\x89PNG") else "image/jpeg"
    new_width, new_height = _size(smaller, kind)
    change = f"made smaller: {width:,} x {height:,} → {new_width:,} x {new_height:,} pixels"
    return Image(kind, base64.b64encode(smaller).decode(), change)


def _size(content: bytes, media_type: str) -> tuple[int, int]:
    """Width and height in pixels; zeros where the bytes do not tell them."""
    try:
        match media_type:
            case "image/png":
                width, height = struct.unpack_from(">II", content, 16)
            case "image/gif":
                width, height = struct.unpack_from("<HH", content, 6)
            case "image/webp":
                width, height = _size_of_webp(content)
            case _:
                width, height = _size_of_jpeg(content)
    except struct.error:  # cut short
        return 0, 0
    return width, height


def _size_of_webp(content: bytes) -> tuple[int, int]:
    match content[12:16]:
        case b"VP8X":
            low_w, high_w, low_h, high_h = struct.unpack_from("<HBHB", content, 24)
            return (high_w << 16 | low_w) + 1, (high_h << 16 | low_h) + 1
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", content, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            width, height = struct.unpack_from("<HH", content, 26)
            return width & 0x3FFF, height & 0x3FFF


def _size_of_jpeg(content: bytes) -> tuple[int, int]:
    at = 2
    while True:
        marker, length = struct.unpack_from(">xBH", content, at)
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            return width, height
        at += 1 if marker == 0xFF else 2 + max(length, 2)  # FF fills up


def scaled(content: bytes) -> bytes | None:
    """The image with at most `SCALED_SIDE` pixels a side, as PNG or JPEG.

    None where Pillow is not installed, or cannot read it.
    """
    if find_spec("PIL") is None:
        return None
    from PIL import Image  # noqa: PLC0415 - needed for images that are too large only

    try:
        with Image.open(io.BytesIO(content)) as image:
            if image.width * image.height > _MAX_SCALED_PIXELS:
                return None
            image.draft("RGB", (SCALED_SIDE, SCALED_SIDE))  # JPEG is decoded smaller at once
            clear = "transparency" in image.info or image.mode in ("LA", "PA", "RGBA")
            smaller = image.convert("RGBA" if clear else "RGB")
            smaller.thumbnail((SCALED_SIDE, SCALED_SIDE))
            written = io.BytesIO()
            smaller.save(written, "PNG" if clear else "JPEG", quality=90)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # it is cut off, or of a kind that Pillow does not know
    return written.getvalue()
