"""What language servers are asked about a name in code, and what they answer.

Positions are those of LSP: 0-based lines, and characters in units of the encoding that an answer
names. A question holds the text before the name, whose units each server counts itself.
Source: LSP 3.17, "Language Features".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.text import PositionEncoding


class CodeKind(StrEnum):
    """What is asked of the name at a place."""

    DEFINITIONS = "definitions"
    REFERENCES = "references"  # with the definition itself
    IMPLEMENTATIONS = "implementations"
    CALLERS = "callers"
    CALLEES = "callees"
    TYPE = "type"  # and documentation
    RENAME = "rename"


OF_ALL_FILES = frozenset(  # what only one that has read the whole workspace can answer
    {CodeKind.REFERENCES, CodeKind.IMPLEMENTATIONS, CodeKind.CALLERS, CodeKind.RENAME}
)


@dataclass(frozen=True, slots=True)
class CodeQuestion:
    """A question about a name: its document, the 0-based line, and what stands before it there.

    `text` and `version` are those of the whole document, for servers that have not read it.
    `new_name` is given with `RENAME`.
    """

    kind: CodeKind
    uri: str
    line: int
    before: str
    text: str
    version: int | None
    new_name: str = ""


@dataclass(frozen=True, slots=True)
class CodePlace:
    """The 0-based line of a name; `name` is who calls, or is called, where that was asked.

    With callers the line is that of the call, with callees that of their definition; `calls` are
    then the 0-based lines of the asked document from where they are called.
    """

    uri: str
    line: int
    name: str = ""
    calls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeEdit:
    """A text that is to replace that between two positions: 0-based lines, and characters."""

    uri: str
    line: int
    character: int
    end_line: int
    end_character: int
    text: str


@dataclass(frozen=True, slots=True)
class CodeAnswer:
    """What one server said; `by` is its name, for people and the model.

    `text` is the type and documentation, in Markdown. `edits` are those of a rename; `refused` says
    why there are none. `files_too`: the rename would also create, move or delete files.
    """

    by: str
    places: tuple[CodePlace, ...] = ()
    text: str = ""
    edits: tuple[CodeEdit, ...] = ()
    refused: str = ""
    files_too: bool = False
    encoding: PositionEncoding = "utf-16"


class CodeServers(ABC):
    """Who knows of code: the editor's other servers, or those that Glossator starts itself."""

    @abstractmethod
    async def ask(
        self, question: CodeQuestion, seconds: float, *, begins: bool = True
    ) -> CodeAnswer | str:
        """The answer; else why there is none, as a part of a sentence: "gopls is starting".

        "" where no server is there for the language, or none runs and none is to begin.
        """

    @property
    @abstractmethod
    def are_there(self) -> bool:
        """Whether any server may answer."""

    @property
    @abstractmethod
    def tells_diagnostics(self) -> bool:
        """Whether `diagnostics` can give anything."""

    @abstractmethod
    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """The findings for these documents, or all there are; None when they are not known.

        Waits up to `seconds` for findings of the versions wanted.
        """
