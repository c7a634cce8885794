"""Thinking blocks come back as they were sent, where they were sent."""

from tests.standin.content import located_blocks, merged_turns
from tests.standin.errors import Refusal
from tests.standin.issued import thinking_in
from tests.standin.rules.call import Call
from tests.standin.signature import Prefix, broken_binding, read_signature


def last_thinking_unaltered(call: Call) -> None:
    """The latest assistant turn still has the thinking its tool calls were sent with."""
    turns = [blocks for role, blocks in merged_turns(call.body) if role == "assistant"]
    blocks = [block for _, block in turns[-1]] if turns else []
    present = thinking_in(blocks)
    for block in blocks:
        sent = call.issued.sent_with(block["id"]) if block["type"] == "tool_use" else None
        if sent is not None and not all(thought in present for thought in sent.thinking):
            raise Refusal(
                "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
                "be modified. These blocks must remain as they were in the original response."
            )


def thinking_bound_to_its_prefix(call: Call) -> None:
    """Nothing that came before a thinking block has changed since."""
    prefix = Prefix(call.body)
    for path, role, block in located_blocks(call.body):
        if block["type"] == "thinking":
            binding = read_signature(block["signature"])
            if binding is None or broken_binding(binding, prefix, block["thinking"]):
                raise Refusal(
                    f"{path}: Invalid `signature` in `thinking` block. The block, or `system`, "
                    "`tools` or a message before it, is not what it was when it was generated."
                )
        prefix.add(role, block)
