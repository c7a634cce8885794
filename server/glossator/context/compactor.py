"""Compacts a session's conversation in place when it fills the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from glossator.context.compaction import SHARE, Carried, Compacted, NoGain, compact, is_due
from glossator.context.kept import Weights
from glossator.context.summary import Frame
from glossator.core.errors import ModelError
from glossator.core.events import Event, Notice, Usage
from glossator.llm import Conversation, Meter, Model

_FURTHER = 0.1  # of the share: so much is to be added before it is tried again unasked


@dataclass(slots=True)
class CompactionBackoff:
    """When to try again after an attempt that failed or gained nothing.

    Not before a request takes `until` tokens. `told`: the user knows that there is nothing to gain.
    """

    until: int = 0
    told: bool = False


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts one conversation: at `share` of the window by itself (None: never), or on command.

    `carried` gives what the summary must carry over. `compacted` is called with the result, `emit`
    with notices for the user.
    """

    conversation: Conversation
    model: Model
    frame: Frame
    weights: Weights
    carried: Callable[[], Carried]
    compacted: Callable[[Compacted], None]
    share: float | None = SHARE
    emit: Callable[[Event], None] = lambda _: None
    backoff: CompactionBackoff = field(default_factory=CompactionBackoff)

    async def compact_if_needed(self, last: Usage, meter: Meter) -> bool:
        """Compact if the newest request leaves too little of the window; whether it was done.

        What gains nothing, and what fails, is tried again when the conversation has grown further.
        """
        due = is_due(last, self.model.window, self.share)
        if not due or last.total < self.backoff.until:
            return False
        try:
            made = await self.compact(meter)
        except ModelError as error:
            self.emit(
                Notice(f"The conversation could not be compacted now, so it goes on. {error}")
            )
        else:
            if isinstance(made, Compacted):
                return True
            if not self.backoff.told:
                self.emit(Notice(f"The conversation was not compacted: {made.why}. It goes on."))
            self.backoff.told = True
        self._wait(last.total)
        return False

    async def compact(self, meter: Meter) -> Compacted | NoGain:
        """Compact the conversation, if there is anything to gain. Raises `ModelError`."""
        messages, carried = self.conversation.messages, self.carried()
        made = await compact(messages, self.model, self.frame, self.weights, carried, meter)
        if isinstance(made, Compacted):
            self.conversation.restart(made.messages)
            self._wait(made.after)
            self.backoff.told = False
            self.compacted(made)
        return made

    def _wait(self, tokens: int) -> None:
        self.backoff.until = tokens + round(_FURTHER * (self.share or SHARE) * self.model.window)
