"""Images that are too large for a model, made smaller by Pillow, which is optional."""

from __future__ import annotations

import io
from importlib.util import find_spec

MAX_FILE_BYTES = 40_000_000  # of an image that is made smaller
SIDE = 2_000  # pixels; the most that a model takes of one of many images

HOW = "pip install 'glossator[images]' has larger ones made smaller"
_MOST_PIXELS = 120_000_000  # decoding takes four bytes for each


def scaled(content: bytes) -> bytes | None:
    """The image with at most `SIDE` pixels a side, as PNG or JPEG.

    None where Pillow is not installed, or cannot read it.
    """
    if find_spec("PIL") is None:
        return None
    from PIL import Image  # noqa: PLC0415 - needed for images that are too large only

    try:
        with Image.open(io.BytesIO(content)) as image:
            if image.width * image.height > _MOST_PIXELS:
                return None
            image.draft("RGB", (SIDE, SIDE))  # JPEG is decoded smaller at once
            clear = "transparency" in image.info or image.mode in ("LA", "PA", "RGBA")
            smaller = image.convert("RGBA" if clear else "RGB")
            smaller.thumbnail((SIDE, SIDE))
            written = io.BytesIO()
            smaller.save(written, "PNG" if clear else "JPEG", quality=90)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # it is cut off, or of a kind that Pillow does not know
    return written.getvalue()
