"""Images and how long a prompt may be."""

import base64
import binascii
import struct
from typing import Any

from tests.standin.content import located_blocks, nested
from tests.standin.errors import Refusal
from tests.standin.rules.call import Call
from tests.standin.usage import prompt_tokens

Json = dict[str, Any]

MOST_BYTES = 5 * 1024 * 1024  # in base64
MOST_PIXELS, MOST_PIXELS_OF_MANY = 8_000, 2_000
MANY, MOST_IMAGES = 20, 100
HEADER = 24  # bytes of a PNG without pixels, which stands for a whole one in tests
STARTS = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


def images_can_be_processed(call: Call) -> None:
    """Each is of the kind that it says, whole, and not too large; and there are not too many."""
    found = [
        (f"{path}.image.source.base64", block["source"])
        for place, _, outer in located_blocks(call.body)
        for path, block in nested(place, outer)
        if block.get("type") == "image" and block["source"]["type"] == "base64"
    ]
    if len(found) > MOST_IMAGES:
        raise Refusal(f"too many images and documents: {len(found)} + 0 > {MOST_IMAGES}")
    for path, source in found:
        _processed(path, source, many=len(found) > MANY)


def prompt_fits(call: Call) -> None:
    """The prompt takes no more tokens than the model's window."""
    tokens, most = prompt_tokens(call.links), call.model.context_tokens
    if tokens > most:
        raise Refusal(f"prompt is too long: {tokens} tokens > {most} maximum")


def _processed(path: str, source: Json, *, many: bool) -> None:
    try:
        content = base64.b64decode(source["data"], validate=True)
    except binascii.Error:
        raise Refusal(f"{path}: invalid base64 data") from None
    if len(source["data"]) > MOST_BYTES:
        raise Refusal(f"{path}: image exceeds 5 MB maximum: {len(source['data'])} bytes > 5242880")
    kind = next((kind for start, kind in STARTS.items() if content.startswith(start)), None)
    if kind is None:
        raise Refusal("Could not process image")
    if kind != source["media_type"]:
        raise Refusal(
            f"{path}: The image was specified using the {source['media_type']} media type, but the"
            f" image appears to be a {kind} image"
        )
    if kind == "image/png":
        _whole_png(path, content, MOST_PIXELS_OF_MANY if many else MOST_PIXELS)


def _whole_png(path: str, content: bytes, most: int) -> None:
    if len(content) > HEADER and b"IEND" not in content[-12:]:
        raise Refusal("Could not process image")
    if max(struct.unpack_from(">II", content, 16)) > most:
        many = " for many-image requests" if most == MOST_PIXELS_OF_MANY else ""
        raise Refusal(
            f"{path}.data: At least one of the image dimensions exceed max allowed size{many}:"
            f" {most} pixels"
        )
