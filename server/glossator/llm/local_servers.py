"""Model servers that run on this machine, found by asking the ports on which they usually listen.

Only loopback is asked, and only when somebody looks at the set-up. A server counts if it says what
it is, and answers where the Messages API is. Sources: Ollama's `/api/tags` and "Anthropic
compatibility" (since 0.14), the README of llama.cpp's server, LM Studio's `/api/v0/models` and
"Anthropic-compatible endpoints" (since 0.4.1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from glossator.settings import Profile

_HOST = "127.0.0.1"
_CONNECT_SECONDS = 0.5
_ANSWER_SECONDS = 2.0  # for both answers of one server
_MAX_MODELS = 30
_NO_CHAT = ("embed", "bert", "rerank", "whisper")  # in the names of what only embeds, or hears
_UNKNOWN = "Unexpected endpoint"  # says LM Studio of a path that it has not, with the status 200


@dataclass(frozen=True, slots=True)
class Kind:
    """A program that serves models: where it listens unless told otherwise, and lists them."""

    profile: Profile
    name: str
    port: int
    listing: str
    update: str


KINDS = (
    Kind("ollama", "Ollama", 11434, "/api/tags", "Update Ollama to 0.14 or newer."),
    Kind("lmstudio", "LM Studio", 1234, "/api/v0/models", "Update LM Studio to 0.4.1 or newer."),
    Kind("llama.cpp", "llama.cpp", 8080, "/v1/models", "Update llama.cpp to one of 2026."),
)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on this machine with its models, those that are loaded first.

    `problem` says why it cannot be used, with a next step, or "".
    """

    name: str
    profile: Profile
    url: str
    models: tuple[str, ...]
    problem: str = ""


async def find_local_servers() -> tuple[LocalServer, ...]:
    """The servers that answer within two seconds; none is started, and no model is loaded."""
    found = await asyncio.gather(*map(_look, KINDS))
    return tuple(server for server in found if server is not None)


async def _look(kind: Kind) -> LocalServer | None:
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(_HOST, kind.port)
    except (OSError, TimeoutError):
        return None
    writer.close()
    return await _asked(kind, f"http://{_HOST}:{kind.port}")


async def _asked(kind: Kind, url: str) -> LocalServer | None:
    import httpx2  # noqa: PLC0415 - at the top it would delay the start

    # `trust_env`: what is on this machine is never asked through a proxy.
    client = await asyncio.to_thread(httpx2.AsyncClient, base_url=url, trust_env=False)
    async with client:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                models = _models_in(kind.profile, (await client.get(kind.listing)).json())
                if models is None:
                    return None
                refused = await client.post("/v1/messages", json={})
        except (httpx2.HTTPError, ValueError, TimeoutError):  # nobody's whom we know
            return None
        if refused.status_code == httpx2.codes.NOT_FOUND or _UNKNOWN in refused.text:
            problem = f"It does not speak the Messages API. {kind.update}"
        else:
            problem = "" if models else "It has no model that chats. Load or download one."
        return LocalServer(kind.name, kind.profile, url, models, problem)


def _models_in(profile: Profile, listing: object) -> tuple[str, ...] | None:
    """The names of models that chat; None if the answer is not that of such a server."""
    match profile, listing:
        case "ollama", {"models": list(entries)}:
            names = (_text(each, "model") or _text(each, "name") for each in entries)
            # A name that ends so is answered in Ollama's cloud, not on this machine.
            named = [each for each in names if not each.endswith("cloud")]
        case "lmstudio", {"data": list(entries)} if all(map(_is_of_studio, entries)):
            chats = [each for each in entries if each["type"] in ("llm", "vlm")]
            chats.sort(key=lambda each: each.get("state") != "loaded")
            named = [_text(each, "id") for each in chats]
        case "llama.cpp", {"data": list(entries)} if all(map(_is_of_llama, entries)):
            named = [_text(each, "id") for each in entries]
        case _:
            return None
    return tuple(_chatting(named))[:_MAX_MODELS]


def _is_of_studio(entry: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(entry, dict) and isinstance(entry.get("type"), str)


def _is_of_llama(entry: Any) -> bool:  # noqa: ANN401 - JSON
    return isinstance(entry, dict) and entry.get("owned_by") == "llamacpp"


def _text(entry: Any, name: str) -> str:  # noqa: ANN401 - JSON
    value = entry.get(name) if isinstance(entry, dict) else None
    return value if isinstance(value, str) else ""


def _chatting(names: list[str]) -> Iterator[str]:
    for name in names:
        if name and name.isprintable() and not any(each in name.lower() for each in _NO_CHAT):
            yield name
