"""The request's shape: parameters this version dropped, then fields and types at any depth."""

from anthropic.types.beta.message_count_tokens_params import MessageCountTokensParams
from anthropic.types.beta.message_create_params import MessageCreateParamsStreaming

from tests.standin.content import digest, located_blocks
from tests.standin.errors import Refusal
from tests.standin.rules.call import Call
from tests.standin.rules.grammar import Reader
from tests.standin.rules.headers import VERSION

# Tools and system prompts without a fault, under these betas: they come with each request.
_SETTLED = ("tools", "system")
_KNOWN: set[tuple[type, frozenset[str], str]] = set()
SAMPLING = ("temperature", "top_p", "top_k")


def no_sampling_parameters(call: Call) -> None:
    """The version of the API served here has none."""
    for name in SAMPLING:
        if name in call.body:
            raise Refusal(f"{name}: sampling parameters are not supported as of {VERSION}")


def known_fields(call: Call) -> None:
    """Only known fields, every required one, and values of the right types."""
    kind = MessageCountTokensParams if call.counting else MessageCreateParamsStreaming
    body = call.body
    if not call.counting:
        stream = body.get("stream", False)
        if type(stream) is not bool:
            raise Refusal("stream: Input should be a valid boolean")
        body = body | {"stream": True}  # the one grammar reads streamed and whole requests
    known = (kind, call.betas, digest(body.get(name) for name in _SETTLED))
    if known in _KNOWN:
        body = {name: part for name, part in body.items() if name not in _SETTLED}
    Reader(call.betas).read_fields(body, kind)
    _KNOWN.add(known)


def something_to_answer(call: Call) -> None:
    """At least one message, and none without content."""
    if not call.body["messages"]:
        raise Refusal("messages: at least one message is required")
    for number, message in enumerate(call.body["messages"]):
        if not message.get("content"):
            raise Refusal(f"messages.{number}: all messages must have non-empty content")


def no_empty_text(call: Call) -> None:
    """No blank text block in `system` or `messages`; search results are looked at elsewhere."""
    system = call.body.get("system", [])
    parts = [] if isinstance(system, str) else list(enumerate(system))
    named = [(f"system.{i}", block) for i, block in parts]
    named += [(path, block) for path, _, block in located_blocks(call.body)]
    for path, block in named:
        if block["type"] == "text" and not block["text"]:
            raise Refusal(f"{path}: text content blocks must be non-empty")
        if block["type"] == "text" and block["text"].isspace():
            raise Refusal(f"{path}: text content blocks must contain non-whitespace text")
