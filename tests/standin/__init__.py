"""A strict stand-in for the Anthropic Messages API on a loopback port, for tests of the real loop.

It plays scripted turns over HTTP and refuses, with the API's own status and error body, what the
API refuses.

    async with StandIn([Turn(Text("hello"))]) as api:
        client = AsyncAnthropic(api_key="k", base_url=api.base_url, max_retries=0)
"""

from tests.standin.faults import (
    EndBeforeStop,
    Expired,
    Fault,
    HttpError,
    MaxTokensMidTool,
    NoEventNames,
    NoToolInput,
    NoUsage,
    Refused,
    ResetConnection,
    SlowHeaders,
    StreamError,
    TruncateAt,
    UnknownBlock,
    UnknownDelta,
    UnknownEvent,
    rate_limited,
    spend_capped,
)
from tests.standin.models import NAMED
from tests.standin.recording import Recorded
from tests.standin.script import Script, ServerToolUse, Text, Thinking, ToolSearch, ToolUse, Turn
from tests.standin.server import StandIn

__all__ = [
    "NAMED",
    "EndBeforeStop",
    "Expired",
    "Fault",
    "HttpError",
    "MaxTokensMidTool",
    "NoEventNames",
    "NoToolInput",
    "NoUsage",
    "Recorded",
    "Refused",
    "ResetConnection",
    "Script",
    "ServerToolUse",
    "SlowHeaders",
    "StandIn",
    "StreamError",
    "Text",
    "Thinking",
    "ToolSearch",
    "ToolUse",
    "TruncateAt",
    "Turn",
    "UnknownBlock",
    "UnknownDelta",
    "UnknownEvent",
    "rate_limited",
    "spend_capped",
]
