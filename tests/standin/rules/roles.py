"""Which role may say what, and where a message of each role may stand."""

from tests.standin.content import blocks_of, located_blocks, merged_turns
from tests.standin.errors import Refusal
from tests.standin.rules.call import Call
from tests.standin.rules.headers import VERSION

NOT_FROM = {
    "user": {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"},
    "assistant": {"tool_result", "search_result", "image", "document"},
    "system": {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "tool_result"},
}
OUTPUT_CONFIG_BETA = "mid-conversation-output-config-2026-07-01"


def blocks_fit_their_role(call: Call) -> None:
    """Calls and thinking come from the assistant; results and sources from the user."""
    for path, role, block in located_blocks(call.body):
        if block["type"] in NOT_FROM[role]:
            since = f" as of {VERSION}" if block["type"] == "document" else ""
            raise Refusal(
                f"{path}: `{block['type']}` blocks are not allowed in {role} messages{since}"
            )


def no_prefill(call: Call) -> None:
    """The last message is not the assistant's, unless it is a paused turn sent back as it came."""
    role, blocks = merged_turns(call.body)[-1]
    if role != "assistant":
        return
    open_server_call = blocks[-1][1]["type"] == "server_tool_use"
    paused = call.issued.paused(blocks_of(call.body["messages"][-1]["content"]))
    if not paused and not open_server_call:
        raise Refusal(
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )


def system_messages(call: Call) -> None:
    """After a user turn, and last or followed by the assistant; on models that take them."""
    for number, message in enumerate(call.body["messages"]):
        if message["role"] == "system":
            if not call.model.system_messages:
                raise Refusal(f"messages.{number}: {call.model.id} takes no `system` messages")
            if "output_config" in message and OUTPUT_CONFIG_BETA not in call.betas:
                raise Refusal(f"messages.{number}.output_config: Extra inputs are not permitted")
    turns = merged_turns(call.body)
    roles = [None, *(role for role, _ in turns), None]
    for before, (role, blocks), after in zip(roles, turns, roles[2:], strict=False):
        if role == "system" and (before != "user" or after == "user"):
            raise Refusal(
                f"{blocks[0][0]}: a `system` message must follow a user turn and be last or be "
                "followed by an assistant message"
            )
