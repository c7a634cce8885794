"""Message boxes with buttons, for clients that know no requests of ours.

A box may take the keyboard: Neovim reads a number, Eglot begins with the first button's text, Helix
marks the first button. Keys that were meant for the text then answer it. So a box waits until
typing has paused; its first button allows nothing, and neither does closing it; what another button
allows is confirmed in a second box, where it has another number. See docs/decisions/0060.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from lsprotocol import types

from glossator.core.question import Question, QuestionAnswer
from glossator.lsp.protocol import Protocol
from glossator.lsp.reports import question_message, with_session_title

PAUSE_SECONDS = 1.0  # without a change; Eglot collects what is typed for 0.5 s
_NOTHING, _BACK = "No answer", "Back to the question"
_SURE = "Confirm it, so that no key that was meant for your text allows it."


class Buttons:
    """Boxes of one client; `typed` is to be called with each change of a document."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._last_key = -PAUSE_SECONDS  # or what may have been one; of the monotonic clock

    def typed(self) -> None:
        """The user may be typing."""
        self._last_key = time.monotonic()

    async def press(self, text: str, labels: Sequence[str]) -> str | None:
        """The button that the user pressed, if any. Raises `JsonRpcException`."""
        while (left := self._last_key + PAUSE_SECONDS - time.monotonic()) > 0:  # noqa: ASYNC110 - time itself is waited for
            await asyncio.sleep(left)
        actions = [types.MessageActionItem(label) for label in labels]
        params = types.ShowMessageRequestParams(
            types.MessageType.Info, with_session_title(text), actions
        )
        pressed = await self._protocol.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        self.typed()
        return pressed.title if pressed and pressed.title in labels else None

    async def allow(self, text: str, refusal: str, labels: Sequence[str]) -> str | None:
        """Like `press`, but each of `labels` allows something and is confirmed in a second box."""
        ways = {f"{label}…": label for label in labels}
        while True:
            pressed = await self.press(text, (refusal, *ways))
            if pressed not in ways:
                return pressed
            label, title = ways[pressed], text.partition("\n")[0]
            others = (label, _BACK) if list(ways).index(pressed) == 1 else (_BACK, label)
            sure = await self.press(f"{label}: {title}\n{_SURE}", (refusal, *others))
            if sure != _BACK:
                return sure

    async def answer(self, question: Question) -> QuestionAnswer:
        """The option that the user chose, if any. Raises `JsonRpcException`."""
        text, refusal = question_message(question), question.refusal
        labels = [option.label for option in question.options if option.label != refusal]
        if refusal:
            pressed = await self.allow(text, refusal, labels)
        else:
            pressed = await self.press(text, (_NOTHING, *labels))
        return QuestionAnswer((pressed,)) if pressed and pressed != _NOTHING else QuestionAnswer()
