"""What a workspace and its language servers know of a name, for proofs about all of its code.

A server alone proves nothing by silence: it may not have read a file, or not know what an object
is. So the workspace is searched for the name, and each place that has it must be explained.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from time import monotonic

from glossator.application import Application
from glossator.core.code import CodeAnswer, CodeKind
from glossator.core.document import Document, Missing, MissingReason
from glossator.core.file_kinds import FileKind, kind_of, language_of
from glossator.core.uri import to_path
from glossator.grounding import Claim
from glossator.symbols import (
    MENTIONS,
    Coverage,
    Definition,
    Limits,
    Name,
    NamePlace,
    SearchScope,
    Symbol,
    SymbolHits,
    Use,
)
from glossator.workspace import UNREADABLE, WorkspaceSnapshot

LANGUAGES = frozenset({"python", "javascript", "typescript", "tsx"})  # whose servers are tried
FUNCTIONS = frozenset({"function", "method"})
TYPES = frozenset({"class", "interface"})

_LIMITS = Limits(texts=150, hits=300, seconds=1.0)
_MOST_ASKED = 24  # places of a name that a server is asked about
_PROSE = frozenset({".md", ".markdown", ".mkd", ".rst", ".adoc"})
_IMPORTED_BY = frozenset({"__init__", "index"})  # modules that say what a package gives away

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
    def head(self) -> str:
        """Its lines from the one with its name to the first that ends like a head."""
        lines = self.document.lines[self.symbol.name_line - 1 : self.symbol.last_line]
        found: list[str] = []
        for line in lines:
            found.append(line.partition("  #")[0].rstrip())
            if found[-1].endswith((":", "{", "}", "...")):
                break
        return "\n".join(found)


@dataclass(frozen=True, slots=True)
class Uses:
    """All places of a name in code, by line; `is_whole` if nothing was left out."""

    hits: tuple[Use, ...]
    by_line: Mapping[Line, Sequence[Use]]
    is_whole: bool


@dataclass(frozen=True)
class Evidence:
    """Answers questions about one state of the workspace until `deadline` (loop time).

    `begins`: a server may be started for it.
    """

    app: Application
    snapshot: WorkspaceSnapshot
    deadline: float
    begins: bool

    @cached_property
    def is_whole(self) -> bool:
        """Whether the workspace is one folder, and all of it is known."""
        left_out = self.snapshot.listing.skipped.values()
        is_one = len(self.snapshot.roots) == 1
        return is_one and self.snapshot.index_complete and UNREADABLE not in left_out

    async def ask(self, kind: CodeKind, place: NamePlace) -> CodeAnswer | None:
        """What a language server knows of a name; None if none answers."""
        seconds = max(0.0, self.deadline - asyncio.get_running_loop().time())
        answer = await self.app.code.ask(place.question(kind), seconds, begins=self.begins)
        return None if isinstance(answer, str) else answer

    async def told(self, kind: CodeKind, place: NamePlace) -> frozenset[Line] | None:
        """The lines that a language server tells; None if none answers."""
        answer = await self.ask(kind, place)
        return None if answer is None else frozenset(_lines(answer))

    async def defined(self, claim: Claim) -> Defined | None:
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

    async def defined_at(self, at: Definition) -> Defined | None:
        """What an index found, if its file is still the same."""
        document = await asyncio.to_thread(self.snapshot.read, at.line.path)
        is_same = isinstance(document, Document) and document.sha256 == at.line.sha256
        return Defined(document, at.symbol) if isinstance(document, Document) and is_same else None

    async def outlined(self, line: Line) -> Defined | None:
        """What is defined on a line of a file that is listed and that no rule hides."""
        path, number = line
        if self.snapshot.listing.get(path) is None or self.app.acting.hides(path):
            return None
        document = await asyncio.to_thread(self.snapshot.read, path)
        if not isinstance(document, Document):
            return None
        found = await self.app.symbols.outline(self.snapshot, document, name_line=number)
        return Defined(document, found[0]) if len(found) == 1 else None

    async def symbols_in(self, path: str, name: str) -> Sequence[Symbol]:
        """The symbols of a name in a file."""
        document = await asyncio.to_thread(self.snapshot.read, path)
        if not isinstance(document, Document):
            return ()
        return await self.app.symbols.outline(self.snapshot, document, name=name)

    async def uses(self, name: str, kinds: AbstractSet[str] = MENTIONS) -> Uses:
        """All places of a name but those in comments, docstrings and documents of prose."""
        found = await self._found(name, kinds, frozenset())
        if found.coverage.unreadable:  # no index tells yet which files are binary
            found = await self._found(name, kinds, await asyncio.to_thread(self._binary))
        by_line: dict[Line, list[Use]] = {}
        for use in found.hits:
            by_line.setdefault((use.line.path, use.line.number), []).append(use)
        is_elsewhere = kinds == MENTIONS and (found.coverage.mentions or self._is_in_no_file(name))
        is_whole = _is_whole(found.coverage) and not is_elsewhere
        return Uses(found.hits, by_line, is_whole)

    def _is_in_no_file(self, name: str) -> bool:
        """Whether a document that is none on disk has the name, such as a cell of a notebook."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        overlays = self.snapshot.overlays.items()
        return any(not os.path.isabs(path) and word.search(each.text) for path, each in overlays)

    async def _found(
        self, name: str, kinds: AbstractSet[str], without: AbstractSet[str]
    ) -> SymbolHits[Use]:
        scope = SearchScope(hides=lambda path: path in without or self.is_prose(path))
        return await self.app.symbols.uses(
            self.snapshot, Name.parse(name), frozenset(kinds), scope, _LIMITS
        )

    def _binary(self) -> frozenset[str]:
        """The files that are no text, as far as there is time to read them; blocking."""
        found = set()
        for entry in self.snapshot.files():
            if monotonic() > self.deadline:
                break
            if language_of(entry.path) is None:
                read = self.snapshot.read(entry.path)
                if isinstance(read, Missing) and read.reason is MissingReason.BINARY:
                    found.add(entry.path)
        return frozenset(found)

    def is_prose(self, path: str) -> bool:
        """Whether a file is read by people alone."""
        stem, ending = os.path.splitext(os.path.basename(path))
        kind = kind_of(self.snapshot.relative(path))
        is_plain = kind is FileKind.CHANGELOG or (kind is FileKind.PROSE and not ending)
        return bool(stem) and (ending.lower() in _PROSE or is_plain)

    def is_product(self, path: str) -> bool:
        """Whether a file is no test, no example and not generated."""
        return kind_of(self.snapshot.relative(path)) is FileKind.CODE

    async def explained(self, uses: Iterable[Use], own: Defined, all_uses: Uses) -> bool:
        """Whether each of these places means something else than what is defined at `own`."""
        open_uses = list(uses)
        if len(open_uses) > _MOST_ASKED or any(
            self.app.acting.hides(u.line.path) for u in open_uses
        ):
            return False
        found = await asyncio.gather(*(self._means_another(u, own, all_uses) for u in open_uses))
        return all(found)

    async def _means_another(self, use: Use, own: Defined, uses: Uses) -> bool:
        line, reference = use.line, use.reference
        if reference.kind in ("definition", "text"):
            return False
        document = await asyncio.to_thread(self.snapshot.read, line.path)
        if not isinstance(document, Document) or document.sha256 != line.sha256:
            return False
        is_member = line.text[: reference.start].rstrip().endswith((".", "?."))
        if is_member and own.symbol.container:  # a protocol may stand for it
            return False
        place = NamePlace(document, line.number, reference.start)
        told = await self.told(CodeKind.DEFINITIONS, place)
        return bool(told) and all(self._is_another(each, own, uses) for each in told or ())

    def _is_another(self, line: Line, own: Defined, uses: Uses) -> bool:
        """Whether a definition that a server names is not `own`, nor a stub, copy or import of it.

        Of what lies outside of the workspace only the name of its file tells.
        """
        path, own_path = line[0], own.document.path
        if not path or line == own.line:
            return False
        if path != own_path and PurePath(path).name.split(".")[0] == PurePath(own_path).stem:
            return False
        if self.snapshot.listing.get(path) is None:
            return True
        at = uses.by_line.get(line, ())
        return bool(at) and all(each.reference.kind in ("reference", "call") for each in at)


def gives_away(path: str) -> bool:
    """Whether what a module imports is what its package offers."""
    return PurePath(path).name.split(".")[0] in _IMPORTED_BY


def names_fit(name: Sequence[str], path: str, container: Sequence[str]) -> bool:
    """Whether a dotted name means what stands in `container` of a file, or in something in it."""
    names = (*PurePath(path).parent.parts[-2:], PurePath(path).stem, *container)
    size = len(name)
    return any(
        tuple(names[at : at + size]) == tuple(name)
        for at in range(len(names) - size + 1)
        if at + size > len(names) - len(container)
    )


def _is_whole(coverage: Coverage) -> bool:
    missed = coverage.unread, coverage.unreadable, coverage.unparsed
    return not any(missed) and not coverage.worker_away


def _lines(answer: CodeAnswer) -> Iterable[Line]:
    return ((to_path(each.uri) or "", each.line + 1) for each in answer.places)
