"""Walks over the content of a request, and the hash that ignores what does not count as content."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

Json = dict[str, Any]
_LONGEST = 20_000  # characters of a block that is known again

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def blocks_of(content: str | list[Json]) -> list[Json]:
    """Content as blocks; a string is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def located_blocks(body: Json) -> Iterator[tuple[str, str, Json]]:
    """Every block of every message as (path, role, block), the path in the API's dotted form."""
    for number, message in enumerate(body["messages"]):
        for index, block in enumerate(blocks_of(message["content"])):
            yield f"messages.{number}.content.{index}", message["role"], block


def merged_turns(body: Json) -> list[tuple[str, list[tuple[str, Json]]]]:
    """The messages as (role, [(path, block)]), consecutive ones of one role joined."""
    return [
        (role, [(path, block) for path, _, block in blocks])
        for role, blocks in groupby(located_blocks(body), key=lambda located: located[1])
    ]


def nested(path: str, block: Json) -> Iterator[tuple[str, Json]]:
    """The block itself and the blocks in its content, each with its path."""
    yield path, block
    content = block.get("content")
    if isinstance(content, list):
        for index, part in enumerate(content):
            yield from nested(f"{path}.content.{index}", part)


def plain(block: Json) -> Json:
    """A block without null fields and, at any depth of its content, without `cache_control`."""
    kept = {k: v for k, v in block.items() if k != "cache_control" and v is not None}
    if isinstance(kept.get("content"), list):
        kept["content"] = [plain(part) for part in kept["content"]]
    return kept


def digest(parts: Iterable[Any]) -> str:
    """A SHA-256 of JSON values that does not depend on the order of keys."""
    return hashlib.sha256(_encode(list(parts)).encode()).hexdigest()


def measured(block: Json) -> tuple[int, str]:
    """The tokens in the content of a block, and its digest: most blocks come in many requests."""
    text = _encode(block)
    return _measured(text) if len(text) <= _LONGEST else _measured.__wrapped__(text)


@lru_cache(maxsize=4_096)
def _measured(text: str) -> tuple[int, str]:
    content = plain(json.loads(text))
    return tokens_in(content), digest([content])


def tokens_in(value: Any) -> int:
    """An estimate of the tokens in a JSON value: a quarter of its characters, 1,600 an image."""
    return (_characters(value) + 3) // 4


def _characters(value: Any) -> int:
    match value:
        case {"type": "image"}:
            return 6_400
        case dict():
            billed = (item for item in value.items() if item[0] != "signature")
            return sum(len(key) + _characters(part) for key, part in billed)
        case list():
            return sum(map(_characters, value))
        case _:
            return len(str(value))
