"""Cache diagnostics: why a request could not reuse the prefix of the one it names."""

from dataclasses import dataclass
from typing import Any

from tests.standin.content import blocks_of, digest, located_blocks, measured, plain
from tests.standin.usage import Link, prompt_tokens

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The parts of a request that decide what of its prompt can be reused, as hashes."""

    model: str
    system: str
    tools: str
    messages: tuple[str, ...]
    other: str
    tokens: int


class Diagnostics:
    """The fingerprints of one server's answered requests, by the id of the answer."""

    def __init__(self) -> None:
        self._known: dict[str, Fingerprint] = {}

    def remember(self, message_id: str, fingerprint: Fingerprint | None) -> None:
        """Keep the request that this message answered, if it asked for `diagnostics`."""
        if fingerprint is not None:
            self._known[message_id] = fingerprint

    def of(self, body: Json, now: Fingerprint | None) -> Json | None:
        """The `diagnostics` of a reply; None when not asked for or nothing diverged."""
        named = (body.get("diagnostics") or {}).get("previous_message_id")
        if named is None or now is None:
            return None
        before = self._known.get(named)
        reason = _missed(before, now) if before else "previous_message_not_found"
        if reason is None:
            return None
        miss: Json = {"type": reason}
        if before and reason != "unavailable":
            miss["cache_missed_input_tokens"] = before.tokens
        return {"cache_miss_reason": miss}


def _missed(before: Fingerprint, now: Fingerprint) -> str | None:
    changed = {
        "model_changed": before.model != now.model,
        "system_changed": before.system != now.system,
        "tools_changed": before.tools != now.tools,
        "messages_changed": before.messages != now.messages[: len(before.messages)],
        "unavailable": before.other != now.other,
    }
    return next((reason for reason, applies in changed.items() if applies), None)


def fingerprint_of(body: Json, links: list[Link]) -> Fingerprint | None:
    """Of a request and the links of its prompt; None where it asks for no `diagnostics`."""
    if body.get("diagnostics") is None:
        return None
    settings = ("thinking", "tool_choice", "output_config")
    return Fingerprint(
        model=body["model"],
        system=digest(map(plain, blocks_of(body.get("system", [])))),
        tools=digest(
            measured(tool)[1] for tool in body.get("tools", []) if not tool.get("defer_loading")
        ),
        messages=tuple(f"{role} {measured(block)[1]}" for _, role, block in located_blocks(body)),
        other=digest(body.get(name) for name in settings),
        tokens=prompt_tokens(links),
    )
