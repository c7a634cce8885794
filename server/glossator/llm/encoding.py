"""The JSON of request bodies; a message is encoded once and its bytes are kept.

A conversation only grows, and of its messages only the newest bear breakpoints. So the time to
encode a request follows what is new in it, not its size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from glossator.llm.model import EncodedMessages, Message

# As the provider's own SDK writes JSON: no spaces, no escapes that are not needed, no NaN.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode_body(body: Mapping[str, Any], known: EncodedMessages) -> bytes:
    """The body as JSON. `known` tells the bytes of the last request's messages, and is renewed.

    Raises `ValueError` or `TypeError` for what JSON cannot carry.
    """
    parts: list[bytes] = []  # joined once: a long conversation is megabytes
    for name, value in body.items():
        parts += [b"," if parts else b"{", _encode(name), b":"]
        parts += _encode_each(value, known) if name == "messages" else [_encode(value)]
    return b"".join([*parts, b"}"])


def _encode_each(messages: Sequence[Message], known: EncodedMessages) -> list[bytes]:
    before = iter(known.pairs)
    pairs = []
    for message in messages:
        same, encoded = next(before, (None, b""))
        pairs.append((message, encoded if same is message else _encode(message)))
    known.pairs = pairs
    parts = [b"["]
    for _, encoded in pairs:
        parts += [encoded, b","]
    return [*parts[:-1], b"]"] if pairs else [b"[]"]


def _encode(value: object) -> bytes:
    """UTF-8, with every lone surrogate, which it cannot carry, replaced by U+FFFD."""
    text = _ENCODER.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
