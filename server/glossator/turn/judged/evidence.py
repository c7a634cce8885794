"""What the workspace and its language servers know of a name, for proofs about all of its code."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from glossator.application import Application
from glossator.core.code import CodeKind
from glossator.core.document import Document
from glossator.core.file_kinds import CODE, FileKind, kind_of, language_of
from glossator.core.uri import to_path
from glossator.grounding import CallSite, Claim, Token
from glossator.symbols import (
    ALL_USES,
    Limits,
    Name,
    NamePlace,
    SearchScope,
    Symbol,
    Use,
    only_definition,
)
from glossator.workspace import WorkspaceSnapshot

_LIMITS = Limits(texts=150, hits=300, seconds=1.0)

Line = tuple[str, int]  # an absolute path, and a 1-based line


@dataclass(frozen=True, slots=True)
class Defined:
    """A symbol where it is defined."""

    document: Document
    symbol: Symbol

    @property
    def line(self) -> Line:
        """Where its name stands."""
        return self.document.path, self.symbol.name_line

    @property
    def language(self) -> str:
        """The language of its file; "" if it is unknown."""
        return language_of(self.document.path, self.document.text[:1_000]) or ""

    @property
    def place(self) -> NamePlace:
        """Where a server is asked about it."""
        symbol = self.symbol
        return NamePlace(self.document, symbol.name_line, symbol.name_column, symbol.container)

    @property
    def bases(self) -> str:
        """What stands behind a class's name, to the first line that ends like a head."""
        symbol = self.symbol
        start = symbol.name_column + len(symbol.name)
        found: list[str] = []
        for line in self.document.lines[symbol.name_line - 1 : symbol.last_line]:
            found.append(line[0 if found else start :].partition("  #")[0].rstrip())
            if found[-1].endswith((":", "{", "}", "...")):
                break
        return "\n".join(found)

    def is_meant(self, token: Token) -> bool:
        """Whether a name, with what stands before its dots, means this symbol."""
        path, own = self.document.path, (*self.symbol.container, self.symbol.name)
        around = (*re.split(r"[/\\]", path.rpartition(".")[0]), *own)
        return token.last == self.symbol.name and around[-len(token.parts) :] == token.parts


@dataclass(frozen=True)
class Evidence:
    """Answers questions about one state of the workspace until `deadline` (loop time).

    `begins`: a server may be started for it.
    """

    app: Application
    snapshot: WorkspaceSnapshot
    deadline: float
    begins: bool

    async def told(self, kind: CodeKind, place: NamePlace) -> frozenset[Line] | None:
        """The lines that a language server tells; None if none answers."""
        seconds = max(0.0, self.deadline - asyncio.get_running_loop().time())
        answer = await self.app.code.ask(place.question(kind), seconds, begins=self.begins)
        if isinstance(answer, str):
            return None
        return frozenset((to_path(each.uri) or "", each.line + 1) for each in answer.places)

    async def cited(self, claim: Claim) -> Defined | None:
        """What the cited lines define, if they are still the same."""
        cited = claim.cited
        document = await asyncio.to_thread(self.snapshot.read, cited.path)
        if not isinstance(document, Document):
            return None
        first = cited.first_line - 1
        if tuple(document.lines[first : first + len(cited.lines)]) != cited.lines:
            return None
        symbols = await self.app.symbols.outline(self.snapshot, document, name_line=claim.line)
        found = [each for each in symbols if each.name == claim.defined.last]
        return Defined(document, found[0]) if len(found) == 1 else None

    async def only(self, name: str) -> Defined | None:
        """The only symbol of a name in code."""
        scope = SearchScope(languages=CODE)
        found = await self.app.symbols.definitions(self.snapshot, Name.parse(name), scope)
        at = only_definition(found)
        return None if at is None else await self.on((at.line.path, at.symbol.name_line))

    async def on(self, line: Line) -> Defined | None:
        """What is defined on a line of a file that is listed and that no rule hides."""
        path, number = line
        if self.snapshot.listing.get(path) is None or self.app.acting.hides(path):
            return None
        document = await asyncio.to_thread(self.snapshot.read, path)
        if not isinstance(document, Document):
            return None
        found = await self.app.symbols.outline(self.snapshot, document, name_line=number)
        return Defined(document, found[0]) if len(found) == 1 else None

    async def uses(self, name: str) -> Sequence[Use]:
        """Where code that may be shown, and is no test, uses a name."""
        may_be_shown = SearchScope(languages=CODE, hides=self.app.acting.hidden())
        named = Name.parse(name)
        found = await self.app.symbols.uses(self.snapshot, named, ALL_USES, may_be_shown, _LIMITS)
        return [each for each in found.hits if self.is_product(each.line.path)]

    def is_product(self, path: str) -> bool:
        """Whether a file is no test, no example and not generated."""
        return kind_of(self.snapshot.relative(path)) is FileKind.CODE


def call_site(snapshot: WorkspaceSnapshot, use: Use, *, sure: bool) -> CallSite:
    """A call as the rules tell it; `sure`: it calls what is meant, not only by its name."""
    path = snapshot.relative(use.line.path)
    return CallSite(path, use.line.number, use.reference.within, sure)
