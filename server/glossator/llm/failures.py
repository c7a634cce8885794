"""Failed requests: the SDK's exceptions as `ModelError`s for the user, and when to try again.

Every message says what happened and what to do, and none holds the key.

What a refused request is about is read from the words of providers, gateways and servers of one's
own. Their wordings are no interface, so each is looked for loosely; what none fits is about some
part. Sources: the provider's "Errors" and "Vision", and what users of Anthropic, Bedrock, Vertex,
vLLM, llama.cpp, Ollama, LM Studio, LiteLLM and OpenRouter report (`tests/standin/refusals.py`).
"""

from __future__ import annotations

import asyncio
import math
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Literal, TypeVar
from urllib.parse import urljoin, urlsplit

from glossator.core.errors import (
    ContentRefused,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    OptionRefused,
    RefusedPart,
    RequestTooLong,
    StreamCut,
)
from glossator.core.shown import shown
from glossator.llm.model import ModelEvent, RetryWait

if TYPE_CHECKING:
    from anthropic import APIStatusError


_MIN_SECRET_CHARACTERS = 8  # characters; what is shorter stands for no key, or guards nothing
_MAX_DETAIL_CHARACTERS = 300  # characters of the provider's own words

# Error events arrive in a stream that began with HTTP 200: their type stands for the status.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_PASSING = {
    408: "timed out",
    409: "is busy with a conflicting request",
    500: "failed inside",
    502: "cannot be reached by its gateway",
    503: "is not available at the moment",
    504: "took too long",
    529: "is overloaded",
}
_REFUSED = {
    401: "{server} did not accept the credentials{detail}. Set {credentials} and try again.",
    402: "{server} reports that the account's credit or payment does not cover this{detail}. Add"
    " credit in the provider's console, under plans and billing, then ask again; nothing is wrong"
    " with the question.",
    403: "{server} does not allow this{detail}. Check that {credentials} may use {model}.",
    404: "{server} does not know {model}{detail}. Correct {setting}, or models.baseUrl if that"
    " names the wrong server (it must not end in /v1).",
}
_SPENT = (
    "{server} has reached a spend limit{detail}. Waiting does not help: raise the limit in the"
    " provider's console, or set {credentials} of another account."
)
_TOO_LONG = (
    "The request is longer than {model} takes{detail}, and nothing more of it could be left out."
    " Attach less at once, load the model with a longer context, or set {setting} to one with a"
    " larger window. The conversation is kept."
)
_TOO_LARGE = (
    "The request is larger than {server} accepts{detail}, and nothing more of it could be left out."
    " Attach less at once. The conversation is kept."
)
_PART = (
    "{server} refused a part of the conversation{detail}, also with what could be left out left"
    " out. Check that {setting} and models.profile suit the server, or choose another model. The"
    " conversation is kept."
)
_WRONG = (
    "{server} refused the request{detail}. Check that {setting} and models.profile suit the server,"
    " or choose another model. The conversation is kept."
)
_ABOUT_ACCOUNT = re.compile(  # or about the settings: leaving something out cannot help
    r"credit balance|api key|(?:invalid|unknown|no such) model|model \S{0,80} ?(?:was )?not found"
    r"|model \S{0,80} ?does not exist",
    re.IGNORECASE,
)
# Statuses with which servers refuse what a request holds. Some of one's own answer 500.
_ABOUT_CONTENT = frozenset({400, 413, 422, 500})
_NO_EFFORT = (
    "{model} does not take the effort it was asked with{detail}. Correct {effort}, or leave it out."
)
_REDIRECTED = (
    "{server} answers with a redirect{detail}. None is followed, so that neither the conversation"
    " nor the key goes where you did not send it. If it should go there, set models.baseUrl to that"
    " address; else correct models.baseUrl, or look at the network and the proxy."
)
_UNREACHABLE = (
    "{server} cannot be reached{detail}. Check the network, and models.baseUrl if it is set."
)
_BROKEN = (
    "The reply of {server} broke off{detail}; nothing of it was used. Ask again; if this happens"
    " every time, look at the network, the proxy, or models.baseUrl if it is set."
)

_FIRST_CEILING_SECONDS = 1.0  # seconds; doubles with every try
T = TypeVar("T")
_MIN_WINDOW_TOKENS = 512  # tokens; a smaller number in a message is none
_LENGTH_WORDS = re.compile(
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
_LIMIT_WORDS = re.compile(
    r"(?:> ?|(?:maximum|max) (?:context|prompt|model) length (?:is|of) "
    r"|maximum (?:context|model) length \("
    r"|context length of only |n_ctx\W{1,4}|context (?:size|length|window) \(|context window of "
    r"|tokens allowed \(|allowed input length of |token limit: ?|context length of "
    r"|model with )(?P<tokens>\d[\d,]*)",
    re.IGNORECASE,
)
_OPTION_WORDS = re.compile(
    r"^\W*(?:body\W+)?(?P<first>thinking|diagnostics|output_config|cache_control)\b(?=\W)"
    r"|^\W*(?:body\W+)?(?P<tool>tools[.\[]\W*\d+)"
    r"|(?:unknown|unrecognized|unsupported|unexpected|extra)\b[^.]{0,60}?\b"
    r"(?P<unknown>thinking|diagnostics|output_config)\b"
    r"|\b(?P<anywhere>cache_control|defer_loading)\b",
    re.IGNORECASE,
)
_OUTPUT_WORDS = re.compile(r"max_tokens: [\d,]+ > (?P<tokens>\d[\d,]*)")
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
class RequestTarget:
    """The server and model of a request, as messages name them; `secret` never appears."""

    server: str
    model: str
    setting: str
    credentials: str
    secret: str = ""

    def say(self, template: str, detail: str = "") -> str:
        """A message that quotes the provider, without the secret."""
        words = self.quote(detail)
        return template.format(
            server=self.server,
            model=self.model,
            setting=self.setting,
            effort=f"{self.setting.removesuffix('model')}effort",
            credentials=self.credentials,
            detail=f" ({words})" if words else "",
        )

    def quote(self, detail: str) -> str:
        """The provider's words in one line, shortened, without the secret."""
        words = " ".join(detail.split())
        if len(self.secret) >= _MIN_SECRET_CHARACTERS:
            words = words.replace(self.secret, "***")
        return words[:_MAX_DETAIL_CHARACTERS].rstrip(".")


def explain(error: Exception, target: RequestTarget) -> ModelError:
    """The `ModelError` for an exception of the SDK or its HTTP library."""
    import anthropic  # noqa: PLC0415 - loaded with the first request, not with the server
    import httpx2  # noqa: PLC0415 - likewise

    if isinstance(error, anthropic.APIStatusError):
        return _explain_status(error, target)
    if isinstance(error, anthropic.APITimeoutError):
        return ModelUnavailable(target.say("{server} did not answer in time."))
    if isinstance(error, anthropic.APIConnectionError):
        cause = error.__cause__ or error
        if isinstance(cause, httpx2.TransportError) and not isinstance(
            cause, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol
        ):
            return ModelUnavailable(target.say(_UNREACHABLE, str(cause)))
        return ModelRefused(target.say(_UNREACHABLE, str(cause)))
    if isinstance(error, httpx2.HTTPError | ValueError):
        return StreamCut(target.say(_BROKEN, str(error)))
    return ModelRefused(target.say(_WRONG, str(error)))


def _explain_status(error: APIStatusError, target: RequestTarget) -> ModelError:
    status = error.status_code
    if status == 200:
        status = _STATUS_OF_TYPE.get(error.type or "", 500)
    redirected = 300 <= status < 400
    detail = _redirect(error) if redirected else _said(error)
    retry_after = _retry_after(error.response.headers)
    if status == 429:
        if _is_spent(error, detail, retry_after):
            return ModelRefused(target.say(_SPENT, detail))
        said = target.say("{server} limits the rate of requests{detail}.", detail)
        return ModelUnavailable(said, retry_after=retry_after)
    if refusal := _refusal(error, status, detail, target):
        return refusal
    if status in _PASSING or status >= 500:
        what = _PASSING.get(status, f"failed with status {status}")
        said = target.say(f"{{server}} {what}{{detail}}.", detail)
        return ModelUnavailable(said, retry_after=retry_after)
    if status in (400, 403) and "credit balance" in detail.lower():
        status = 402  # Anthropic tells of spent credit as of an invalid request
    template = _REDIRECTED if redirected else _REFUSED.get(status, _WRONG)
    return ModelRefused(target.say(template, detail))


def _refusal(
    error: APIStatusError, status: int, detail: str, target: RequestTarget
) -> ModelError | None:
    """The refusal, if the failure is a refusal of something in the request."""
    words = f"{detail}\n{error.body}"  # gateways quote the provider somewhere in the body
    found = read_refusal(words)
    unseen = status == 404 and found.option == "images"  # OpenRouter finds no model for them
    if not unseen and (status not in _ABOUT_CONTENT or _ABOUT_ACCOUNT.search(words)):
        return None
    if found.about == "length" or status == 413:
        template = _TOO_LARGE if status == 413 else _TOO_LONG
        return RequestTooLong(target.say(template, detail), limit=found.limit)
    if found.about == "option":
        said = target.say(_WRONG, detail)
        return OptionRefused(said, found.option, found.limit, target.quote(detail))
    if status == 500:  # that may pass
        return None
    if status == 400 and "effort" in detail and not found.place:
        return ModelRefused(target.say(_NO_EFFORT, detail))
    template = _WRONG if found.about == "part" and not found.place else _PART
    return ContentRefused(
        target.say(template, detail), found.about, found.place, target.quote(detail)
    )


def _said(error: APIStatusError) -> str:
    """The server's own words, whatever the form of its answer."""
    match error.body:
        case {"error": {"metadata": {"raw": str(words)}}}:  # a gateway quotes its provider
            return words
        case {"error": str(words)} | {"message": str(words)}:
            return words
    return error.api_message or error.type or str(error)


def _redirect(error: APIStatusError) -> str:
    """The status of a redirect and its target, without path and credentials."""
    response = error.response
    location = response.headers.get("location", "")
    try:
        parts = urlsplit(urljoin(str(response.request.url), location))
        where = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if location else ""
    except ValueError:  # it is no address
        where = ""
    return f"{error.status_code} to {shown(where)}" if where else str(error.status_code)


def _is_spent(error: APIStatusError, detail: str, retry_after: float | None) -> bool:
    """Whether a 429 means a spending limit, by its code, or its words without `retry-after`."""
    if "spend_limit" in (error.error_code or ""):
        return True
    words = detail.lower()
    return retry_after is None and ("spend" in words or "usage limit" in words)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a number or an HTTP date (RFC 9110 §10.2.3); None when absent or unreadable."""
    text = headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return None
    return seconds if math.isfinite(seconds) and seconds > 0 else None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often to try again, and the longest wait before that, in seconds."""

    retries: int
    longest_wait: float
    random: random.Random = field(default_factory=random.SystemRandom)
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


async def retried(attempt: Callable[[], Awaitable[T]], policy: RetryPolicy) -> T:
    """The result of the first successful attempt; only for work that may be repeated.

    Raises like `with_retries`.
    """
    number = 0
    while True:
        try:
            return await attempt()
        except ModelError as error:
            number += 1
            wait = _wait(error, number, policy)
        await policy.sleep(wait)


async def with_retries(
    attempt: Callable[[], AsyncGenerator[ModelEvent, None]], policy: RetryPolicy
) -> AsyncGenerator[ModelEvent, None]:
    """The events of the first attempt that succeeds, with a `RetryWait` before each further one.

    The SDK's own retry is off: it shows nothing and waits as long as the server says. Raises the
    `ModelError` of the last attempt, or `ModelUnavailable` if the provider asks for a longer wait
    than the policy allows. Source: capped exponential back-off with full jitter (Brooker,
    "Exponential Backoff And Jitter", AWS, 2015).
    """
    number = 0
    while True:
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            number += 1
            wait = _wait(error, number, policy)
            reason = str(error)
        else:
            return
        yield RetryWait(wait, number, reason)
        await policy.sleep(wait)


def _wait(error: ModelError, number: int, policy: RetryPolicy) -> float:
    """Seconds until the next attempt; raises the error if there is none."""
    if not error.retryable:
        raise error
    asked = error.retry_after or 0
    if asked > policy.longest_wait:
        raise ModelUnavailable(
            f"{error} It asks to wait {asked:g} s, longer than models.maxRetryWait allows"
            f" ({policy.longest_wait:g} s). Ask again later, or raise that setting.",
            retry_after=asked,
        ) from error
    if number > policy.retries:
        raise error
    ceiling = min(policy.longest_wait, _FIRST_CEILING_SECONDS * 2 ** (number - 1))
    return asked or policy.random.uniform(0, ceiling)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The cause of a refusal.

    `limit` is the largest number of tokens that the server takes, in the window or a reply; `place`
    and `option` are as in `ContentRefused` and `OptionRefused`.
    """

    about: RefusedPart | Literal["length", "option"]
    place: tuple[int, ...] = ()
    limit: int | None = None
    option: str = ""


def read_refusal(words: str) -> Refusal:
    """The cause, from everything that the server said."""
    if found := _OUTPUT_WORDS.search(words):
        return Refusal("option", option="max_tokens", limit=_number_of(found["tokens"]))
    if _NO_IMAGES.search(words):
        return Refusal("option", option="images")
    if found := _OPTION_WORDS.search(words):
        named = found["first"] or found["unknown"] or found["anywhere"] or found["tool"]
        return Refusal("option", option=re.sub(r"\W+", ".", named.lower()))
    if _LENGTH_WORDS.search(words):
        named_limits = (_number_of(each["tokens"]) for each in _LIMIT_WORDS.finditer(words))
        limit = next((tokens for tokens in named_limits if tokens >= _MIN_WINDOW_TOKENS), None)
        return Refusal("length", limit=limit)
    found = _PLACE.search(words)
    place = tuple(int(each) for each in found.groups() if each) if found else ()
    words = _ALLOWED.split(words)[0]
    kinds: tuple[tuple[RefusedPart, re.Pattern[str]], ...] = (
        ("thinking", _THINKING),
        ("media", _TOO_MANY),
        ("document", _DOCUMENT),
        ("image", _IMAGE),
    )
    return Refusal(next((kind for kind, said in kinds if said.search(words)), "part"), place)


def _number_of(digits: str) -> int:
    return int(digits.replace(",", ""))
