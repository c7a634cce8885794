"""The context window of a model at a server of one's own, as that server tells it.

Ollama chooses it when it loads a model, by the graphics card unless it is set, and tells it then:
so the model, which is needed at once, is loaded first.

Sources: llama.cpp's `/props`, Ollama's `/api/generate` ("Load a model"), `/api/ps`, `/api/show` and
"Context length", LM Studio's `/api/v0/models`, the `/v1/models` of vLLM and others, LiteLLM's
`/model/info`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from glossator.settings import Profile

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_SECONDS = 2
_LOAD_SECONDS = 300  # as long as Ollama itself waits; who does not wait ends the loading
_OLLAMA_DEFAULT = 4_096  # tokens, with less than 24 GB on the graphics card
_ASKED: Mapping[Profile, tuple[str, ...]] = {
    "llama.cpp": ("/props",),
    "ollama": ("/api/generate", "/api/ps"),
    "lmstudio": ("/api/v0/models", "/v1/models"),
    "vllm": ("/v1/models",),
    "litellm": ("/model/info", "/v1/models"),
}
_NAMES = (  # what is loaded before what could be
    "max_model_len",
    "loaded_context_length",
    "context_length",
    "max_input_tokens",
    "max_context_length",
)
_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)", re.MULTILINE)


async def window_told(
    client: AsyncAnthropic, profile: Profile, model: str
) -> tuple[int | None, bool]:
    """The window in tokens, and whether it is certain; None if the server does not tell it."""
    for path in _ASKED.get(profile, ()):
        if tokens := next(_windows(await _answer(client, path, model), model), None):
            return tokens, True
    if profile == "ollama":
        return _likely(await _answer(client, "/api/show", model), model), False
    return None, False


def _likely(shown: object, model: str) -> int | None:
    """The window with which Ollama will load a model."""
    if not isinstance(shown, dict):
        return None
    found = _NUM_CTX.search(str(shown.get("parameters", "")))
    info = shown.get("model_info")
    lengths = info.items() if isinstance(info, dict) else ()
    most = [n for name, n in lengths if name.endswith(".context_length") and isinstance(n, int)]
    if model.endswith("cloud"):
        return max(most, default=None)
    return min([int(found[1]) if found else _OLLAMA_DEFAULT, *most])


async def _answer(client: AsyncAnthropic, path: str, model: str) -> object:
    """What the server answers; None if it is not there, or answers something else than JSON."""
    import anthropic  # noqa: PLC0415 - loaded by now
    import httpx2  # noqa: PLC0415 - likewise

    try:
        async with asyncio.timeout(_LOAD_SECONDS if path == "/api/generate" else _SECONDS):
            if path in ("/api/generate", "/api/show"):
                body = {"model": model, "stream": False}
                return await client.post(path, cast_to=object, body=body)
            return await client.get(path, cast_to=object)
    except (anthropic.AnthropicError, httpx2.HTTPError, ValueError, TimeoutError):
        return None


def _windows(answer: object, model: str) -> Iterator[int]:
    match answer:
        case {"default_generation_settings": {"n_ctx": int(tokens)}} if tokens > 0:
            yield tokens
        case {"models": list(entries)} | {"data": list(entries)}:
            for entry in entries:
                if isinstance(entry, dict) and model in _ids(entry):
                    yield from _figures(entry)


def _ids(entry: Mapping[str, Any]) -> set[object]:
    names = {entry.get(name) for name in ("id", "name", "model", "model_name")}
    return names | {str(name).removesuffix(":latest") for name in names if name}


def _figures(entry: Mapping[str, Any]) -> Iterator[int]:
    inner = entry.get("model_info")
    for fields in (entry, inner if isinstance(inner, dict) else {}):
        for name in _NAMES:
            tokens = fields.get(name)
            if isinstance(tokens, int) and tokens > 0:
                yield tokens
