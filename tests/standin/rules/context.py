"""Server-side context editing."""

from tests.standin.errors import Refusal
from tests.standin.rules.call import Call

LEAST_COMPACTION_TRIGGER = 50_000  # tokens


def compaction_trigger(call: Call) -> None:
    """Automatic compaction starts no earlier than at 50,000 tokens."""
    edits = (call.body.get("context_management") or {}).get("edits", [])
    for index, edit in enumerate(edits):
        trigger = edit.get("trigger") or {}
        is_compaction = edit["type"] == "compact_20260112"
        if (
            is_compaction
            and trigger.get("value", LEAST_COMPACTION_TRIGGER) < LEAST_COMPACTION_TRIGGER
        ):
            raise Refusal(
                f"context_management.edits.{index}.trigger.value: "
                f"Input should be greater than or equal to {LEAST_COMPACTION_TRIGGER}"
            )
