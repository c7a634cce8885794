"""Room in the window: a session's conversation, compacted in place when it fills up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from glossator.context.compaction import SHARE, Carried, Compacted, compact, is_due
from glossator.context.kept import Weights
from glossator.context.summary import Frame
from glossator.core.events import Usage
from glossator.llm.conversation import Conversation
from glossator.llm.meter import Meter
from glossator.llm.model import Model


@dataclass(frozen=True, slots=True)
class Room:
    """One conversation's room. `carried` says how things stand; `compacted` is told of the change.

    `share` of the window is when it is compacted unasked, None for never.
    """

    conversation: Conversation
    model: Model
    frame: Frame
    weights: Weights
    carried: Callable[[], Carried]
    compacted: Callable[[Compacted], None]
    share: float | None = SHARE

    def is_short(self, last: Usage) -> bool:
        """Whether the request that took so much leaves too little."""
        return is_due(last, self.model.window, self.share)

    async def make(self, meter: Meter) -> Compacted | None:
        """Compact the conversation; None when it is too short for that. Raises `ModelError`."""
        messages, carried = self.conversation.messages, self.carried()
        compacted = await compact(messages, self.model, self.frame, self.weights, carried, meter)
        if compacted is not None:
            self.conversation.begin_anew(compacted.messages)
            self.compacted(compacted)
        return compacted
