"""Images by their bytes."""

from __future__ import annotations

import base64
import io
import struct
from collections.abc import Callable

import pytest
from PIL import Image as Picture

from glossator.core.images import MAX_BYTES, MAX_SIDE, Image, image_of


def png(width: int, height: int, more: bytes = b"") -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + more


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def jpeg(width: int, height: int) -> bytes:
    comment, table = b"\xff\xfe\0\4hi", b"\xff\xff\xff\xc4\0\3x"
    frame = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width)
    return b"\xff\xd8" + comment + table + frame


def webp(kind: bytes, size: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0" + size


def lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\0" * 6 + struct.pack("<HH", width, height))


def lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (height - 1) << 14 | (width - 1)))


def extended(width: int, height: int) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp(b"VP8X", b"\0" * 4 + sizes)


@pytest.mark.parametrize(
    ("made", "media_type"),
    [
        (png, "image/png"), (gif, "image/gif"), (jpeg, "image/jpeg"),
        (lossy, "image/webp"), (lossless, "image/webp"), (extended, "image/webp"),
    ],
)  # fmt: skip
def test_what_it_is_and_how_large(made: Callable[[int, int], bytes], media_type: str) -> None:
    content = made(MAX_SIDE, 2)
    assert image_of(content) == Image(media_type, base64.b64encode(content).decode())
    for width, height in ((MAX_SIDE + 1, 2), (2, MAX_SIDE + 1)):
        assert image_of(made(width, height)) == (
            f"has {width:,} x {height:,} pixels; an image may have 8,000 a side"
            " (pip install 'glossator[images]' has larger ones made smaller)"
        )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not an image that models can see"),
        (b"%PDF-1.7", "is not an image that models can see"),
        (b"BM\0\0", "is not an image that models can see"),
        (png(2, 2, b"x" * MAX_BYTES), "bytes; an image may have 3,750,000"),
    ],
)
def test_what_is_none(content: bytes, says: str) -> None:
    found = image_of(content)
    assert isinstance(found, str)
    assert says in found


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0\0\0", gif(1, 1)[:8]])
def test_one_that_does_not_tell_its_size_is_left_to_the_provider(content: bytes) -> None:
    assert isinstance(image_of(content), Image)


@pytest.mark.parametrize(
    ("mode", "size", "written", "kind"),
    [
        ("RGB", (8_400, 300), "JPEG", "image/jpeg"),
        ("RGB", (300, 8_400), "PNG", "image/jpeg"),
        ("RGBA", (8_400, 300), "PNG", "image/png"),
        ("P", (8_400, 300), "GIF", "image/jpeg"),
    ],
)
def test_one_that_is_too_large_is_made_smaller(
    mode: str, size: tuple[int, int], written: str, kind: str
) -> None:
    content = io.BytesIO()
    Picture.new(mode, size).save(content, written)
    found = image_of(content.getvalue())
    assert isinstance(found, Image)
    assert found.media_type == kind
    with Picture.open(io.BytesIO(base64.b64decode(found.data))) as picture:
        assert max(picture.size) == 2_000
        assert picture.size[0] // picture.size[1] == size[0] // size[1]
        before, after = (f"{wide:,} x {high:,}" for wide, high in (size, picture.size))
    told = found.described("a.png", 9)
    assert told == f"a.png ({kind}, 9 bytes; made smaller: {before} → {after} pixels)"


def test_too_many_bytes_are_made_fewer() -> None:
    content = io.BytesIO()
    Picture.effect_noise((2_600, 2_600), 90).save(content, "PNG")
    assert len(content.getvalue()) > MAX_BYTES
    found = image_of(content.getvalue())
    assert isinstance(found, Image)
    assert len(found.data) < MAX_BYTES


def test_without_pillow_it_is_said_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.core.images.find_spec", lambda _: None)
    content = io.BytesIO()
    Picture.new("RGB", (8_400, 300)).save(content, "PNG")
    found = image_of(content.getvalue())
    assert isinstance(found, str)
    assert "pip install 'glossator[images]'" in found
