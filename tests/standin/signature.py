"""The fake signature of a thinking block, bound to all that came before the block.

It holds hashes of `system`, `tools` and the earlier content, the earlier thinking blocks in order,
and the hash of the block's own text. Left out of the hashes, so free to change: `cache_control`,
every parameter but system/tools/messages, tools with `defer_loading` that nothing before the block
refers to, and the oldest thinking blocks. Roles count per block, so merging consecutive messages
of one role changes nothing.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from tests.standin.content import blocks_of, digest, measured, plain

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Binding:
    """What a signature says its block was generated after; every string is a hash."""

    system: str
    tools: str
    content: str
    thinking_before: tuple[str, ...]
    text: str

    def sign(self) -> str:
        """The opaque string that travels as `signature`."""
        return base64.b64encode(json.dumps(asdict(self)).encode()).decode()


def read_signature(signature: str) -> Binding | None:
    """The binding in a signature, or None when this stand-in did not make it."""
    try:
        fields = json.loads(base64.b64decode(signature, validate=True))
        return Binding(**fields | {"thinking_before": tuple(fields["thinking_before"])})
    except (binascii.Error, ValueError, TypeError, KeyError):
        return None


class Prefix:
    """A request's content up to a moving point, to which a thinking block there is bound."""

    def __init__(self, body: Json) -> None:
        self._tools: list[Json] = body.get("tools", [])
        self._system = digest(plain(block) for block in blocks_of(body.get("system", [])))
        self._content = hashlib.sha256()
        self._thinking: list[str] = []
        self._referenced: set[str] = set()

    def bind(self, text: str) -> Binding:
        """The binding of a thinking block with this text at this point."""
        tools = digest(measured(tool)[1] for tool in self._tools if self._counts(tool))
        thinking = tuple(self._thinking)
        return Binding(self._system, tools, self._content.hexdigest(), thinking, digest([text]))

    def add(self, role: str, block: Json) -> None:
        """Move the point past one block."""
        if block["type"] in {"thinking", "redacted_thinking"}:
            self._thinking.append(digest([block])[:12])
            return
        self._referenced.update(references(block))
        self._content.update(digest([role, measured(block)[1]]).encode())

    def _counts(self, tool: Json) -> bool:
        return not tool.get("defer_loading") or tool.get("name") in self._referenced


def broken_binding(binding: Binding, prefix: Prefix, text: str) -> bool:
    """Whether the block with this binding and text may not stand at this point."""
    here = prefix.bind(text)
    kept, sent = here.thinking_before, binding.thinking_before
    only_oldest_gone = sent[len(sent) - len(kept) :] == kept
    return not only_oldest_gone or replace(binding, thinking_before=kept) != here


def references(block: Json) -> Iterator[str]:
    """The deferred tools that a block makes known to the model, by name."""
    content: Any = block.get("content") or ()
    if isinstance(content, dict):
        content = content.get("tool_references")
    if isinstance(content, list):
        for part in content:
            if part.get("type") == "tool_reference":
                yield part["tool_name"]
