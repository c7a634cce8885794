"""Cache breakpoints: how many, in which order of lifetimes, on which blocks."""

from collections.abc import Iterator
from itertools import chain

from tests.standin.content import blocks_of, located_blocks, nested
from tests.standin.errors import Refusal
from tests.standin.rules.call import Call, Located

MOST = 4


def cache_breakpoints(call: Call) -> None:
    """At most four, none of 1h after one of 5m, none on empty text."""
    marked = [(path, block) for path, block in _places(call) if block.get("cache_control")]
    for path, block in marked:
        if block.get("type") == "text" and not block["text"]:
            raise Refusal(f"{path}: cache_control cannot be set for empty text blocks")
    if call.body.get("cache_control"):
        marked.append(("", call.body))  # it marks the last block
    if len(marked) > MOST:
        raise Refusal(
            f"A maximum of {MOST} blocks with cache_control may be provided. Found {len(marked)}."
        )
    shorter = False
    for path, block in marked:
        ttl = block["cache_control"].get("ttl", "5m")
        if ttl == "1h" and shorter:
            where = f"{path}.cache_control.ttl".lstrip(".")
            raise Refusal(
                f"{where}: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block, in the order `tools`, `system`, `messages`."
            )
        shorter = shorter or ttl == "5m"


def _places(call: Call) -> Iterator[Located]:
    yield from ((f"tools.{i}", tool) for i, tool in enumerate(call.body.get("tools", [])))
    system = blocks_of(call.body.get("system", []))
    yield from ((f"system.{i}", block) for i, block in enumerate(system))
    yield from chain.from_iterable(nested(path, b) for path, _, b in located_blocks(call.body))
