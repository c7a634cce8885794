"""What the model is to be told with the next message that is sent anyway."""

from __future__ import annotations

from collections.abc import Callable


class Reminders:
    """Texts that became known while a message was on its way, oldest first.

    Nothing waits for what goes in here: it is told with the results of the next tool calls, or with
    the next question. Each text is made of a prompt that `own_texts.TEXTS` names.
    """

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._sent: list[Callable[[], object]] = []

    def add(self, *texts: str, sent: Callable[[], object] = lambda: None) -> None:
        """Tell the model, unless the very same waits already; `sent` is called as it is told."""
        for text in texts:
            if text and text not in self._waiting:
                self._waiting.append(text)
        self._sent.append(sent)

    def take(self) -> tuple[str, ...]:
        """What waits; it counts as told, so put it into a message before anything is awaited."""
        taken, self._waiting = tuple(self._waiting), []
        sent, self._sent = self._sent, []
        for each in sent:
            each()
        return taken
