"""What a refused request is about, from the words of providers, gateways and servers of one's own.

Their wordings are no interface, so each is looked for loosely; what none fits is about some part.
Sources: the provider's "Errors" and "Vision", and what users of Anthropic, Bedrock, Vertex, vLLM,
llama.cpp, Ollama, LM Studio, LiteLLM and OpenRouter report (`tests/standin/refusals.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from glossator.core.errors import RefusedPart

_SMALLEST_WINDOW = 512  # tokens; a smaller number in a message is none

_TOO_LONG = re.compile(
    r"(?:prompt|input|request|conversation|context) (?:is )?too long"
    r"|exceeds? (?:the |your )?context (?:limit|window|length|size)"
    r"|exceed\w* (?:the )?(?:model'?s? )?(?:available|max(?:imum)?) "
    r"(?:context|number of tokens|(?:allowed )?input length)"
    r"|context (?:size|length|window) (?:has been |was |is )?exceed"
    r"|exceed_context_size|context_?length_?exceeded|ContextWindowExceeded|request_too_large"
    r"|model_context_window_exceeded|exceeds the maximum (?:request )?size"
    r"|maximum (?:context|prompt|model) length|context length of only|reached context length"
    r"|(?:greater|longer) than the (?:model'?s )?(?:maximum )?(?:context|model) length"
    r"|longer than the maximum model length|exceeds? (?:the )?(?:model'?s )?context"
    r"|input length exceeds|exceeded (?:the )?max(?:imum)? context|exceeded model token limit"
    r"|reduce the length of|too large for model with|token limit exceeded"
    r"|too many (?:input )?tokens|max_tokens must be at least 1, got -|payload too large"
    r"|request entity too large"
    r"|maxLength: \d+, actual: \d+|long context (?:beta|requests?)",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:> ?|(?:maximum|max) (?:context|prompt|model) length (?:is|of) "
    r"|maximum (?:context|model) length \("
    r"|context length of only |n_ctx\W{1,4}|context (?:size|length|window) \(|context window of "
    r"|tokens allowed \(|allowed input length of |token limit: ?|context length of "
    r"|model with )(?P<tokens>\d[\d,]*)",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"^\W*(?:body\W+)?(?P<first>thinking|diagnostics|output_config|cache_control)\b(?=\W)"
    r"|^\W*(?:body\W+)?(?P<tool>tools[.\[]\W*\d+)"
    r"|(?:unknown|unrecognized|unsupported|unexpected|extra)\b[^.]{0,60}?\b"
    r"(?P<unknown>thinking|diagnostics|output_config)\b"
    r"|\b(?P<anywhere>cache_control|defer_loading)\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(r"max_tokens: [\d,]+ > (?P<tokens>\d[\d,]*)")
_NO_IMAGES = re.compile(
    r"image input is not supported|not a multimodal model|does not support (?:image|vision)"
    r"|no endpoints found that support image|at most 0 image|missing.{0,20}mmproj"
    r"|model (?:cannot|does not) (?:see|accept|take) images",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"\bsignature\b|thinking\W{0,3} block|thought|redacted_thinking|reasoning|expected .?thinking",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"too (?:many|much) (?:images|media|documents)|many-image|at most \d+ (?:image|document)"
    r"|maximum of \d+ (?:images|documents)",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"\bpdf\b|\bdocuments?\b", re.IGNORECASE)
_IMAGE = re.compile(r"\bimages?\b|media[ _]type|base64|multimodal", re.IGNORECASE)
_ALLOWED = re.compile(
    r"not one of|not match any of|expected tags", re.IGNORECASE
)  # a list of kinds
_PLACE = re.compile(
    r"messages\W{1,4}(\d+)"
    r"(?:\W{1,4}content\W{1,4}(?:list\S*\W+)?(\d+)(?:[\w.\[\]' ,-]*?content\W{1,4}(\d+))?)?"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The cause of a refusal.

    `limit` is the largest number that is taken, of tokens in the window or of a reply; `place` and
    `option` are as in `ContentRefused` and `OptionRefused`.
    """

    about: RefusedPart | Literal["length", "option"]
    place: tuple[int, ...] = ()
    limit: int | None = None
    option: str = ""


def read_refusal(words: str) -> Refusal:
    """The cause, from everything that the server said."""
    if found := _OUTPUT.search(words):
        return Refusal("option", option="max_tokens", limit=_number(found["tokens"]))
    if _NO_IMAGES.search(words):
        return Refusal("option", option="images")
    if found := _OPTION.search(words):
        named = found["first"] or found["unknown"] or found["anywhere"] or found["tool"]
        return Refusal("option", option=re.sub(r"\W+", ".", named.lower()))
    if _TOO_LONG.search(words):
        return Refusal("length", limit=_limit(words))
    place = _place(words)
    words = _ALLOWED.split(words)[0]
    kinds: tuple[tuple[RefusedPart, re.Pattern[str]], ...] = (
        ("thinking", _THINKING),
        ("media", _TOO_MANY),
        ("document", _DOCUMENT),
        ("image", _IMAGE),
    )
    return Refusal(next((kind for kind, said in kinds if said.search(words)), "part"), place)


def _place(words: str) -> tuple[int, ...]:
    found = _PLACE.search(words)
    return () if found is None else tuple(int(each) for each in found.groups() if each)


def _limit(words: str) -> int | None:
    named = (_number(each["tokens"]) for each in _LIMIT.finditer(words))
    return next((tokens for tokens in named if tokens >= _SMALLEST_WINDOW), None)


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
