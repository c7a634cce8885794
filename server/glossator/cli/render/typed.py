"""The line that the user is typing: below the status line, or behind a prompt."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.text import Text

from glossator.cli.messages import PROMPT

_CURSOR = "▏"
_MARGIN = 8  # columns that are left free beside it


class TypedLine:
    """The terminal does not show keys itself while a line is followed here."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._text = ""
        self.is_prompted = False  # it stands behind a prompt, where nothing is redrawn

    def prompt(self) -> None:
        """Ask for it, with what was typed already."""
        self.is_prompted = True
        self._console.print(Text(PROMPT, "bold"), Text(self._text), sep="", end="")

    def below(self, status: RenderableType) -> RenderableType:
        """A status with the line below it, or with nothing if nothing is typed."""
        if not self._text:
            return status
        most, shown = self._console.width - _MARGIN, self._text
        while cell_len(shown) > most:
            shown = shown[1:]
        line = Text.assemble((PROMPT, "bold"), shown, _CURSOR, no_wrap=True)
        return Group(status, line)

    def becomes(self, text: str) -> None:
        """It was edited."""
        before, self._text = self._text, text
        if self.is_prompted:
            kept = before if text.startswith(before) else text if before.startswith(text) else ""
            erased = "\b \b" * cell_len(before.removeprefix(kept))
            self._console.file.write(erased + text.removeprefix(kept))
            self._console.file.flush()

    def entered(self) -> None:
        """It is finished, and another one begins."""
        self._text = ""
        if self.is_prompted:
            self.is_prompted = False
            self._console.file.write("\n")
            self._console.file.flush()
