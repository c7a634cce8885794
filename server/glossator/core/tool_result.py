"""What a tool gives back to the model, and the one function that cuts it to its budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from glossator.core.images import Image
from glossator.core.prompts import load_prompt
from glossator.core.span import FoundPlace, Span


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of the model's window a result may take."""

    items: int | None = None  # lines or paths
    bytes: int | None = None  # UTF-8


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's answer: text for the model, the spans it shows, and how many items were left out.

    With `error` set the call failed: the first line of `text` says what failed and why, and is what
    people read of it; what the model is to do about it stands on the lines after it. `outcome` is
    what people read instead, where that line would not tell them. `citable` are lines that the text
    tells of and does not show, or not in full: they may be cited, but not edited. `pending`: the
    same call will tell more later. `number` stands in the text and is another for each call.
    `unsuccessful`: the call did what it was to do, but the command that it ran failed. `waited` are
    the seconds of the call in which the user was waited for. `places` are what people can open.
    `answer` is what the user answered to the call's question, "" for no answer, None of others.
    """

    text: str
    spans: tuple[Span, ...] = ()
    omitted: int = 0
    error: bool = False
    images: tuple[Image, ...] = ()
    outcome: str = ""
    citable: tuple[Span, ...] = ()
    pending: bool = False
    number: str = ""
    unsuccessful: bool = False
    waited: float = 0.0
    places: tuple[FoundPlace, ...] = ()
    answer: str | None = None

    @property
    def said(self) -> str:
        """The text without its number, to compare whether two results say the same."""
        return self.text.replace(self.number, "", 1) if self.number else self.text

    @staticmethod
    def failed(message: str) -> ToolResult:
        """A failure the model can act on; its first line is for people, too."""
        return ToolResult(message, error=True)


def unchanged(what: str) -> ToolResult:
    """The result of a call that would show again what is in the conversation already.

    A compaction recognises it, and says that it is not shown any more.
    """
    text = load_prompt("tools/unchanged").render(what=what)
    return ToolResult(text, outcome="already shown")


def cut(items: Iterable[str], budget: Budget) -> tuple[list[str], int]:
    """The longest prefix of `items` within `budget`, and how many were left out."""
    everything = list(items)
    kept: list[str] = []
    used = 0
    for item in everything[: budget.items]:
        used += len(item.encode("utf-8", "surrogatepass")) + 1  # its line end
        if budget.bytes is not None and used > budget.bytes:
            break
        kept.append(item)
    return kept, len(everything) - len(kept)


def counted(number: int, things: str) -> str:
    """`1 file`, `1,234 files`; `things` is the plural."""
    one = "match" if things == "matches" else things.removesuffix("s")
    return f"{number:,} {one if number == 1 else things}"


def shorten(line: str, characters: int, kind: str = "") -> str:
    """A text for the model, cut if it is longer; `kind` says what such a text must be."""
    if len(line) <= characters:
        return line
    return f"{line[:characters]} [cut; {len(line):,} characters in all{kind and ', ' + kind}]"
