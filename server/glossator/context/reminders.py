"""What the model is to be told with the next message that is sent anyway."""

from __future__ import annotations


class Reminders:
    """Texts that became known while a message was on its way, oldest first.

    Nothing waits for what goes in here: it is told with the results of the next tool calls, or with
    the next question. Each text is made of a prompt that `ours.TEXTS` names.
    """

    def __init__(self) -> None:
        self._waiting: list[str] = []

    def add(self, text: str) -> None:
        """Tell the model, unless the very same waits already."""
        if text and text not in self._waiting:
            self._waiting.append(text)

    def take(self) -> tuple[str, ...]:
        """What waits; it counts as told."""
        taken, self._waiting = tuple(self._waiting), []
        return taken
