"""What a model and its server can do: what the server tells, and what refusals taught about that.

What a server refuses beside messages (fields, tools, images, long replies) is not sent to it again,
and its window is believed to be as it says, or at most as large as what it refused. What is
learnt is kept for the next start (`LearntLimits`), but for a window that is only guessed.

A server of one's own tells the window of a model. Ollama chooses it when it loads a model, by the
graphics card unless it is set, and tells it then: so the model, which is needed at once, is loaded
first.

Sources: llama.cpp's `/props`, Ollama's `/api/generate` ("Load a model"), `/api/ps`, `/api/show` and
"Context length", LM Studio's `/api/v0/models`, the `/v1/models` of vLLM and others, LiteLLM's
`/model/info`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from glossator.core.errors import ContentRefused, ModelRefused, OptionRefused, RequestTooLong
from glossator.llm.backends import Learnt
from glossator.llm.model import ContentBlock, ModelRequest, estimate_request
from glossator.llm.model_facts import ModelFacts, ProviderProfile, with_limits
from glossator.llm.request import longest_reply
from glossator.settings import Profile

_SMALLEST_WINDOW = 4_000  # tokens; nothing smaller is concluded from a refusal
_NEARLY_FULL = 0.6  # of the window: a refusal for no known reason may be one for length
_SAFE = 0.9  # of the window: estimates are no counts

# What is switched off in the profile when the server refuses a field, and what that means.
_SWITCHES = {
    "thinking": (("thinking",), "the wish for thinking"),
    "diagnostics": (("cache_diagnostics",), "the question why its cache was missed"),
    "output_config": (("effort", "output_format"), "the effort and the form of replies"),
    "cache_control": (("cache_control",), "marks for its prompt cache; requests may cost more"),
    "defer_loading": (("tool_search",), "tools that are searched for"),
    "images": (("images",), "images; the model sees none"),
}
_ANSWER_SECONDS = 2
_LOAD_SECONDS = 300  # as long as Ollama itself waits; who does not wait ends the loading
_OLLAMA_DEFAULT = 4_096  # tokens, with less than 24 GB on the graphics card
_PATHS: Mapping[Profile, tuple[str, ...]] = {
    "llama.cpp": ("/props",),
    "ollama": ("/api/generate", "/api/ps"),
    "lmstudio": ("/api/v0/models", "/v1/models"),
    "vllm": ("/v1/models",),
    "litellm": ("/model/info", "/v1/models"),
}
_LENGTH_FIELDS = (  # what is loaded before what could be
    "max_model_len",
    "loaded_context_length",
    "context_length",
    "max_input_tokens",
    "max_context_length",
)
_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(slots=True)
class Capabilities:
    """What is known about one model at one server."""

    facts: ModelFacts
    profile: ProviderProfile
    learnt: Learnt = field(default_factory=Learnt)

    def recall(self, learnt: Learnt, *, window: bool) -> None:
        """Take over what was learnt before; the window only if `window`."""
        self.learnt = learnt if window else learnt.model_copy(update={"window": 0})
        self.facts = with_limits(self.facts, self.learnt.window, learnt.max_output)
        for option in learnt.options:
            self._switch_off(option)

    def sendable(self, request: ModelRequest) -> ModelRequest:
        """The request without tools that the server refuses."""
        tools = tuple(tool for tool in request.tools if tool.name not in self.learnt.tools)
        return replace(request, tools=tools)

    def told(self, window: int | None, *, certain: bool) -> None:
        """Take over the window that a self-hosted server reports.

        If it is `certain`, it replaces what a refusal taught: the model's window may have changed.
        """
        if certain:
            self._learn(window=0)
        if not self.learnt.window:
            self.facts = with_limits(self.facts, window, None)

    def adapt(self, refusal: ModelRefused, request: ModelRequest, sent: Sequence[str]) -> str:
        """Learn from a refusal; returns what changes, as the end of "The server …", for the user.

        `sent` are the names of the tools as they were sent. Raises the refusal if the same request
        would be refused again, and `RequestTooLong` for one that was probably too long.
        """
        if isinstance(refusal, OptionRefused):
            if words := self._leave_out(refusal, sent):
                return f"does not take {words}. From now on requests do without."
            raise ContentRefused(str(refusal), "part", why=refusal.why) from refusal
        full = estimate_request(request) > _NEARLY_FULL * self.facts.window
        guessed = full and isinstance(refusal, ContentRefused) and refusal.is_unexplained
        if guessed:
            refusal = RequestTooLong(str(refusal))
        if not isinstance(refusal, RequestTooLong):
            raise refusal
        before = longest_reply(request, self.facts)
        self._shrink(refusal, request, guessed=guessed)
        after = longest_reply(request, self.facts)
        fits = (
            refusal.limit is not None
            and estimate_request(request) + after <= _SAFE * self.facts.window
        )
        if after >= before or not fits:
            raise refusal
        return f"has a window of {self.facts.window:,} tokens for this model."

    def _leave_out(self, refusal: OptionRefused, sent: Sequence[str]) -> str:
        """Switch off what was refused; returns its name, "" if it was not sent."""
        option = refusal.option
        if option == "max_tokens":
            if not refusal.limit or refusal.limit >= self.facts.max_output:
                return ""
            self.facts = replace(self.facts, max_output=refusal.limit)
            self._learn(max_output=refusal.limit)
            return f"replies of more than {refusal.limit:,} tokens"
        if option.startswith("tools."):
            number = int(option.removeprefix("tools."))
            if number >= len(sent):
                return ""
            self._learn(tools=(*self.learnt.tools, sent[number]))
            return f"the tool {sent[number]}"
        if words := self._switch_off(option):
            self._learn(options=(*self.learnt.options, option))
        return words

    def _switch_off(self, option: str) -> str:
        """Switch off an option; returns its name, "" if it was off already."""
        switches, words = _SWITCHES.get(option, ((), ""))
        if not any(getattr(self.profile, name) for name in switches):
            return ""
        off: dict[str, Any] = dict.fromkeys(switches, False)
        self.profile = replace(self.profile, **off)
        return words

    def _learn(self, **news: object) -> None:
        self.learnt = self.learnt.model_copy(update=news)

    def _shrink(self, refusal: RequestTooLong, request: ModelRequest, *, guessed: bool) -> None:
        """Lower the window to what the server named; else at most to what was refused.

        A request with images may have had too many bytes instead.
        """
        if refusal.limit is not None:
            self.facts = replace(self.facts, window=refusal.limit)
            self._learn(window=refusal.limit)
        elif not any(_shows(message["content"]) for message in request.messages):
            refused = estimate_request(request)
            if _SMALLEST_WINDOW <= refused < self.facts.window:
                self.facts = replace(self.facts, window=refused)
                self._learn(window=0 if guessed else refused)


def _shows(blocks: Sequence[ContentBlock]) -> bool:
    return any(
        block.get("type") in ("image", "document")
        or (isinstance(inner := block.get("content"), list) and _shows(inner))
        for block in blocks
    )


if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


async def window_told(
    client: AsyncAnthropic, profile: Profile, model: str
) -> tuple[int | None, bool]:
    """The window in tokens, and whether it is certain; None if the server does not report it."""
    for path in _PATHS.get(profile, ()):
        if tokens := next(_windows_in(await _answer_of(client, path, model), model), None):
            return tokens, True
    if profile == "ollama":
        return _likely_window(await _answer_of(client, "/api/show", model), model), False
    return None, False


def _likely_window(shown: object, model: str) -> int | None:
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


async def _answer_of(client: AsyncAnthropic, path: str, model: str) -> object:
    """The server's JSON answer; None if the server is away or answers anything else."""
    import anthropic  # noqa: PLC0415 - loaded by now
    import httpx2  # noqa: PLC0415 - likewise

    try:
        async with asyncio.timeout(_LOAD_SECONDS if path == "/api/generate" else _ANSWER_SECONDS):
            if path in ("/api/generate", "/api/show"):
                body = {"model": model, "stream": False}
                return await client.post(path, cast_to=object, body=body)
            return await client.get(path, cast_to=object)
    except (anthropic.AnthropicError, httpx2.HTTPError, ValueError, TimeoutError):
        return None


def _windows_in(answer: object, model: str) -> Iterator[int]:
    match answer:
        case {"default_generation_settings": {"n_ctx": int(tokens)}} if tokens > 0:
            yield tokens
        case {"models": list(entries)} | {"data": list(entries)}:
            for entry in entries:
                if not isinstance(entry, dict):
                    continue
                names = [
                    str(entry.get(name) or "") for name in ("id", "name", "model", "model_name")
                ]
                if model in (*names, *(name.removesuffix(":latest") for name in names)):
                    yield from _lengths_of(entry)


def _lengths_of(entry: Mapping[str, Any]) -> Iterator[int]:
    inner = entry.get("model_info")
    for fields in (entry, inner if isinstance(inner, dict) else {}):
        for name in _LENGTH_FIELDS:
            tokens = fields.get(name)
            if isinstance(tokens, int) and tokens > 0:
                yield tokens
