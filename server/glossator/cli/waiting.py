"""The messages that wait in a chat, and the one of them that is being edited."""

from __future__ import annotations

from dataclasses import dataclass, field

NOTHING = "Nothing is queued."
_HOW = "/queue edit NUMBER changes one, /queue remove NUMBER takes it out."


@dataclass(slots=True)
class Waiting:
    """In the order in which they are asked; what is taken out keeps its place until it is back."""

    messages: list[str] = field(default_factory=list)
    place: int | None = None  # of the one that is being edited
    taken: str = ""  # its words, as they were
    left_over: int = 0  # words at the head that did not reach their run

    def __bool__(self) -> bool:
        return bool(self.messages)

    @property
    def is_ready(self) -> bool:
        """Whether one can be asked: none does whose place is before the first."""
        return bool(self.messages) and self.place != 0

    @property
    def unsent(self) -> list[str]:
        """All of them, the one that is being edited in its place."""
        place = self.place
        return (
            self.messages
            if place is None
            else [*self.messages[:place], self.taken, *self.messages[place:]]
        )

    def add(self, words: str) -> int:
        """Put words back where they were edited, else at the end; their number, from 1."""
        place = len(self.messages) if self.place is None else min(self.place, len(self.messages))
        self.messages.insert(place, words)
        self.place = None
        return place + 1

    def steer_failed(self, words: str) -> None:
        """Words that were to steer a run are asked first."""
        self.messages.insert(self.left_over, words)
        self.left_over += 1
        if self.place is not None:
            self.place += 1

    def take(self) -> str:
        """The next one."""
        if self.place:
            self.place -= 1
        return self.messages.pop(0)

    def leave(self) -> None:
        """What was edited is not wanted any more."""
        self.place = None

    def remove(self, number: str) -> str | None:
        """Take one out, by its number from 1; None if there is none of that number."""
        place = int(number) - 1 if number.isdecimal() else -1
        if not 0 <= place < len(self.messages):
            return None
        if self.place is not None and place < self.place:
            self.place -= 1
        return self.messages.pop(place)

    def edit(self, number: str) -> str | None:
        """Take one out that comes back to its place with the next `add`; None as `remove`.

        Another one that is being edited goes back to its place as it was.
        """
        before = self.place
        words = self.remove(number)
        if words is None:
            return None
        place = int(number) - 1
        if before is not None:
            self.add(self.taken)
            place += before <= place
        self.place, self.taken = place, words
        return words

    def listed(self) -> str:
        """All of them with their numbers, and what can be done with them."""
        lines = [f"{place}  {each}" for place, each in enumerate(self.messages, 1)]
        return "\n".join([*lines, _HOW] if lines else [NOTHING])
