"""A question that only the user can answer, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers on offer; `detail` says what choosing it means."""

    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `several` of the options may be chosen, and words of one's own be given."""

    text: str
    options: tuple[Option, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The labels of the options chosen, and the user's own words; both may be empty."""

    chosen: tuple[str, ...] = ()
    words: str = ""

    def __bool__(self) -> bool:
        return bool(self.chosen or self.words)
