"""The JSON of request bodies; what does not change is encoded once and its bytes are kept.

A conversation only grows, and of its messages only the newest bear breakpoints. So the time to
encode a request follows what is new in it, not its size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from glossator.llm.model import EncodedRequest, Message

# As the provider's own SDK writes JSON: no spaces, no escapes that are not needed, no NaN.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_OPENING = frozenset({"system", "tools"})  # long, and the same in all requests of a conversation


def encode_body(body: Mapping[str, Any], known: EncodedRequest) -> bytes:
    """The body as JSON. `known` tells the bytes of the conversation's last one, and is renewed.

    Raises `ValueError` or `TypeError` for what JSON cannot carry.
    """
    parts: list[bytes] = []  # joined once: a long conversation is megabytes
    for name, value in body.items():
        parts += [b"," if parts else b"{", _encode(name), b":"]
        if name == "messages":
            parts += _encode_each(value, known)
        elif name in _OPENING:
            parts.append(_encode_opening(name, value, known))
        else:
            parts.append(_encode(value))
    return b"".join([*parts, b"}"])


def _encode_opening(name: str, value: object, known: EncodedRequest) -> bytes:
    before, encoded = known.opening.get(name, (None, b""))
    if before != value:
        encoded = _encode(value)
        known.opening[name] = value, encoded
    return encoded


def _encode_each(messages: Sequence[Message], known: EncodedRequest) -> list[bytes]:
    before = chain(known.messages, repeat((None, b"")))
    known.messages = [
        (message, encoded if same is message else _encode(message))
        for message, (same, encoded) in zip(messages, before, strict=False)
    ]
    parts = [part for _, encoded in known.messages for part in (b",", encoded)]
    return [b"[", *parts[1:], b"]"]


def _encode(value: object) -> bytes:
    """UTF-8, with every lone surrogate, which it cannot carry, replaced by U+FFFD."""
    text = _ENCODER.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
