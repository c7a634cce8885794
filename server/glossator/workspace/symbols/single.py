"""Jobs on one text: its outline, and what it imports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from glossator.workspace.symbols.imports import Import, imports
from glossator.workspace.symbols.sources import Library, OpenText, outlines, read
from glossator.workspace.symbols.symbol import Symbol
from glossator.workspace.worker.jobs import Job, Slices


@dataclass(frozen=True, slots=True)
class OutlineOf(Job[tuple[Symbol, ...]]):
    """The symbols of a text; none for a language we do not understand."""

    urgent: ClassVar[bool] = True

    library: Library
    text: OpenText

    def run(self) -> Slices[tuple[Symbol, ...]]:
        """Look it up, or parse."""
        text = read(self.library, self.text)
        yield None
        with outlines(self.library) as kept:
            return () if text is None else kept.of(text)


@dataclass(frozen=True, slots=True)
class ImportsOf(Job[tuple[Import, ...]]):
    """What a text imports; nothing for a language we do not understand."""

    urgent: ClassVar[bool] = True

    library: Library
    text: OpenText

    def run(self) -> Slices[tuple[Import, ...]]:
        """Parse."""
        text = read(self.library, self.text)
        yield None
        return () if text is None or text.language is None else imports(text.text, text.language)
