"""What a model and its server can do, and what refusals taught about that.

What a server refuses beside messages (fields, tools, images, long replies) is not sent to it again,
and its window is believed to be as it says, or at most as large as what it refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from glossator.core.errors import ContentRefused, ModelRefused, OptionRefused, RequestTooLong
from glossator.llm.catalog import ModelFacts, ProviderProfile
from glossator.llm.estimates import estimate_request
from glossator.llm.model import ContentBlock, ModelRequest
from glossator.llm.request import longest_reply

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


@dataclass(slots=True)
class Capabilities:
    """What is known of one model at one server."""

    facts: ModelFacts
    profile: ProviderProfile
    refused_tools: set[str] = field(default_factory=set)

    def sendable(self, request: ModelRequest) -> ModelRequest:
        """The request without tools that the server refuses."""
        tools = tuple(tool for tool in request.tools if tool.name not in self.refused_tools)
        return replace(request, tools=tools)

    def adapt(self, refusal: ModelRefused, request: ModelRequest, sent: Sequence[str]) -> str:
        """Learn from a refusal; what changes, as the end of "The server …", for the user.

        `sent` are the names of the tools as they were sent. Raises the refusal if the same request
        would be refused again, and `RequestTooLong` for one that was probably too long.
        """
        if isinstance(refusal, OptionRefused):
            if words := self._leave_out(refusal, sent):
                return f"does not take {words}. From now on requests do without."
            raise ContentRefused(str(refusal), "part", why=refusal.why) from refusal
        full = estimate_request(request) > _NEARLY_FULL * self.facts.window
        if full and isinstance(refusal, ContentRefused) and refusal.is_unexplained:
            refusal = RequestTooLong(str(refusal))
        if not isinstance(refusal, RequestTooLong):
            raise refusal
        before = longest_reply(request, self.facts)
        self._shrink(refusal, request)
        after = longest_reply(request, self.facts)
        fits = (
            refusal.limit is not None
            and estimate_request(request) + after <= _SAFE * self.facts.window
        )
        if after >= before or not fits:
            raise refusal
        return f"has a window of {self.facts.window:,} tokens for this model."

    def _leave_out(self, refusal: OptionRefused, sent: Sequence[str]) -> str:
        """Switch off what is refused; what that is, "" if it was not sent."""
        option = refusal.option
        if option == "max_tokens":
            if not refusal.limit or refusal.limit >= self.facts.max_output:
                return ""
            self.facts = replace(self.facts, max_output=refusal.limit)
            return f"replies of more than {refusal.limit:,} tokens"
        if option.startswith("tools."):
            number = int(option.removeprefix("tools."))
            if number >= len(sent):
                return ""
            self.refused_tools.add(sent[number])
            return f"the tool {sent[number]}"
        switches, words = _SWITCHES.get(option, ((), ""))
        if not any(getattr(self.profile, name) for name in switches):
            return ""
        off: dict[str, Any] = dict.fromkeys(switches, False)
        self.profile = replace(self.profile, **off)
        return words

    def _shrink(self, refusal: RequestTooLong, request: ModelRequest) -> None:
        """Believe the window that the server named; else, at most what was refused.

        With images, the request may have had too many bytes.
        """
        if refusal.limit is not None:
            self.facts = replace(self.facts, window=refusal.limit)
        elif not any(_shows(message["content"]) for message in request.messages):
            refused = estimate_request(request)
            if _SMALLEST_WINDOW <= refused < self.facts.window:
                self.facts = replace(self.facts, window=refused)


def _shows(blocks: Sequence[ContentBlock]) -> bool:
    return any(
        block.get("type") in ("image", "document")
        or (isinstance(inner := block.get("content"), list) and _shows(inner))
        for block in blocks
    )
