"""Jobs on texts that are known: outlines, and what a text imports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from glossator.core.text import split_lines
from glossator.symbols.imports import Import, imports
from glossator.symbols.references import calls_in, is_name
from glossator.symbols.sources import SLICE, Library, editor_text, outlines, read
from glossator.symbols.symbol import Symbol
from glossator.worker import Job, Slices

Outlined = tuple[str, tuple[Symbol, ...]]  # the SHA-256 of a text, and its outline


@dataclass(frozen=True, slots=True)
class OutlineOf(Job[tuple[Symbol, ...]]):
    """The symbols of an open document; none for a language we do not understand.

    With `name`, only those of that name; with `name_line`, only those whose name is on that line.
    """

    urgent: ClassVar[bool] = True

    library: Library
    path: str
    text: str
    name: str | None = None
    name_line: int | None = None

    def run(self) -> Slices[tuple[Symbol, ...]]:
        """Look it up, or parse."""
        text = editor_text(self.path, self.text)
        yield None
        with outlines(self.library) as kept:
            return tuple(
                symbol
                for symbol in kept.of(text, self.name or "")
                if (self.name is None or symbol.name == self.name)
                and (self.name_line is None or symbol.name_line == self.name_line)
            )


@dataclass(frozen=True, slots=True)
class OutlinesOf(Job[dict[str, Outlined]]):
    """The outlines of the texts at absolute `paths`, as many as can be had in so many seconds.

    What cannot be read is left out; a language we do not understand has an empty outline.
    """

    urgent: ClassVar[bool] = True

    library: Library
    paths: tuple[str, ...]
    seconds: float = math.inf

    def run(self) -> Slices[dict[str, Outlined]]:
        """Look up or parse one text after the other."""
        found: dict[str, Outlined] = {}
        begun = slice_begun = monotonic()
        with outlines(self.library) as kept:
            for path in self.paths:
                now = monotonic()
                if now - begun > self.seconds:
                    break
                if now - slice_begun > SLICE:
                    yield None
                    slice_begun = monotonic()
                text = read(self.library, path)
                if text is not None:
                    found[path] = text.sha256, kept.of(text)
        return found


@dataclass(frozen=True, slots=True)
class ImportsOf(Job[tuple[Import, ...]]):
    """What an open document imports; nothing for a language we do not understand."""

    urgent: ClassVar[bool] = True

    library: Library
    path: str
    text: str

    def run(self) -> Slices[tuple[Import, ...]]:
        """Parse."""
        text = editor_text(self.path, self.text)
        yield None
        return () if text.language is None else imports(text.text, text.language)


@dataclass(frozen=True, slots=True)
class IsName(Job[bool]):
    """Whether an identifier of code stands at an offset of an open document; see `is_name`."""

    urgent: ClassVar[bool] = True

    library: Library
    path: str
    text: str
    offset: int

    def run(self) -> Slices[bool]:
        """Parse."""
        text = editor_text(self.path, self.text)
        yield None
        return text.language is not None and is_name(text.text, text.language, self.offset)


@dataclass(frozen=True, slots=True)
class CallsOf(Job[tuple[tuple[str, int], ...]]):
    """What lines of a text call: names with their 1-based lines, in document order."""

    urgent: ClassVar[bool] = True

    library: Library
    path: str
    text: str
    first_line: int
    last_line: int

    def run(self) -> Slices[tuple[tuple[str, int], ...]]:
        """Parse."""
        text = editor_text(self.path, self.text)
        yield None
        if text.language is None or len(text.text) > self.library.parse_limit:
            return ()
        lines = split_lines(text.text)
        called = calls_in(text.text, text.language, self.first_line, self.last_line)
        return tuple((lines[at.line - 1][at.start : at.end], at.line) for at in called)
