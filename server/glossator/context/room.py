"""Room in the window: a session's conversation, compacted in place when it fills up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from glossator.context.compaction import SHARE, Carried, Compacted, NoGain, compact, is_due
from glossator.context.kept import Weights
from glossator.context.summary import Frame
from glossator.core.errors import ModelError
from glossator.core.events import Event, Notice, Usage
from glossator.llm.conversation import Conversation
from glossator.llm.meter import Meter
from glossator.llm.model import Model

_FURTHER = 0.1  # of the share: so much is to be added before it is tried again unasked


@dataclass(slots=True)
class CompactionBackoff:
    """What came of trying to make room; it lasts as long as the session is in memory.

    It is not tried again unasked before a request takes `until` tokens. `told`: the user knows
    that there is nothing to gain.
    """

    until: int = 0
    told: bool = False


@dataclass(frozen=True, slots=True)
class Compactor:
    """One conversation's room. `carried` says how things stand; `compacted` is told of the change.

    `share` of the window is when it is compacted unasked, None for never. `emit` shows what the
    user is to know of it.
    """

    conversation: Conversation
    model: Model
    frame: Frame
    weights: Weights
    carried: Callable[[], Carried]
    compacted: Callable[[Compacted], None]
    share: float | None = SHARE
    emit: Callable[[Event], None] = lambda _: None
    patience: CompactionBackoff = field(default_factory=CompactionBackoff)

    async def keep(self, last: Usage, meter: Meter) -> bool:
        """Compact if the conversation's newest request leaves too little room; whether it was done.

        What gains nothing, and what fails, is tried again when the conversation has grown further.
        """
        due = is_due(last, self.model.window, self.share)
        if not due or last.total < self.patience.until:
            return False
        try:
            made = await self.make(meter)
        except ModelError as error:
            self.emit(
                Notice(f"The conversation could not be compacted now, so it goes on. {error}")
            )
        else:
            if isinstance(made, Compacted):
                return True
            if not self.patience.told:
                self.emit(Notice(f"The conversation was not compacted: {made.why}. It goes on."))
            self.patience.told = True
        self._wait(last.total)
        return False

    async def make(self, meter: Meter) -> Compacted | NoGain:
        """Compact the conversation, if there is anything to gain. Raises `ModelError`."""
        messages, carried = self.conversation.messages, self.carried()
        made = await compact(messages, self.model, self.frame, self.weights, carried, meter)
        if isinstance(made, Compacted):
            self.conversation.begin_anew(made.messages)
            self._wait(made.after)
            self.patience.told = False
            self.compacted(made)
        return made

    def _wait(self, tokens: int) -> None:
        self.patience.until = tokens + round(_FURTHER * (self.share or SHARE) * self.model.window)
