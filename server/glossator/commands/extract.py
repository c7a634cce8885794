"""Facts about a subject without a model: quoted and counted, never concluded.

Of a symbol: its signature and documentation, who calls, extends and uses it by the index, the tests
that mention it, what it calls, the last commit that touched it. Of a file its outline, of a folder
what it holds.
"""

from __future__ import annotations

import asyncio
import builtins
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from glossator.application import Application
from glossator.commands.subjects import Call, Pointed, calls_of, last_commit
from glossator.core.citations import CitationMark
from glossator.core.document import Document
from glossator.core.file_kinds import FileKind, is_test, kind_of, language_of
from glossator.core.report import Report
from glossator.core.span import Citation, Span
from glossator.core.uri import to_uri
from glossator.grounding import (
    Sources,
    check_answer,
    judged_report,
    judged_text,
    report_of,
    verify_answer,
)
from glossator.symbols import ALL_USES, Name, SearchScope, SourceLine, Symbol, Use
from glossator.tools import ReadState
from glossator.workspace import WorkspaceSnapshot

EXTRACT = "Extract"  # the name of who reports

_NAMED_OF_A_KIND = 8  # callers, callees, tests, symbols and folders that are named
_BUILTINS = {  # by language; that these are called says nothing
    "go": frozenset(
        "append cap clear close complex copy delete imag len make max min new panic print println"
        " real recover".split()
    ),
    "python": frozenset(dir(builtins)),
}
_PLURALS = {"class": "classes", "property": "properties"}
_DOCUMENTATION_LINES = 40  # from a name to the end of what is said of it, or from its beginning
_MARKERS = re.compile(r"^\s*(?:///?|/\*+|\*+|#+|--)?\s*")  # of comments, where a line begins
_SPECIAL = re.compile(r"__\w+__")
# Of Markdown and reStructuredText: badges are pictures, menus are links.
_IMAGE = re.compile(r"\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?")
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>]*>?|^[^<>]*\">")
_LINK = re.compile(r"\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|https?://\S+|`[^`]*`_+")
_NO_PROSE = re.compile(
    r"[#=\-~|>:<]|[*+] |\.\.|```|\[[^\]]*\]:|([*_]{1,3})[^*_]+\1\W*$|$"  # a motto is emphasised
)
_UNDERLINE = re.compile(r"([=\-~^*])\1{2,}")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_PROSE_WORDS = 4  # beside links, in the first line of a paragraph,
_SHORT_WORDS = 2  # or if it is a sentence without links

_Users = Mapping[tuple[FileKind, str], Sequence[SourceLine]]  # where, by kind of file and name


@dataclass(slots=True)
class Quoting:
    """Makes citations of lines that were looked at, and marks the lines as citable."""

    snapshot: WorkspaceSnapshot
    shown: ReadState = field(default_factory=ReadState)

    def cite(self, path: str, sha256: str, first: int, last: int) -> str:
        """The mark for lines (1-based, inclusive) of the text at an absolute path."""
        overlay = self.snapshot.overlays.get(path)
        uri = to_uri(path) if overlay is None else overlay.uri
        self.shown.show([Span(uri, sha256, first, last)])
        return f"[cite: doc, {self.snapshot.relative(path)}, {first}-{last}]"

    def line(self, line: SourceLine) -> str:
        """The mark for a line."""
        return self.cite(line.path, line.sha256, line.number, line.number)

    def report(self, task: str, text: str, searched: Sequence[str]) -> Report:
        """The report in a text, each finding judged by its lines; blocking."""
        sources = Sources(self.snapshot, self.shown)

        def check(mark: CitationMark) -> Citation:
            return verify_answer(mark, sources)

        report = report_of(EXTRACT, task, text, check, searched)
        checked = check_answer(judged_text(report), sources)
        return judged_report(report, checked)


async def extract(app: Application, pointed: Pointed) -> Report:
    """The report on a subject. Raises `WorkerGone` and `JobFailed`."""
    snapshot = app.host.snapshot()
    quoting = Quoting(snapshot)
    if pointed.symbol is not None and pointed.document is not None:
        blocks, searched = await _of_symbol(app, quoting, pointed, pointed.document, pointed.symbol)
    elif pointed.document is not None:
        blocks, searched = await _of_file(app, quoting, pointed.document)
    else:
        blocks, searched = await asyncio.to_thread(_of_folder, app, quoting, pointed)
    blocks += await _touched(app, pointed)
    task, text = f"Extract from {pointed.name}.", "\n\n".join(blocks)
    return await asyncio.to_thread(quoting.report, task, text, searched)


async def _of_symbol(
    app: Application, quoting: Quoting, pointed: Pointed, document: Document, symbol: Symbol
) -> tuple[list[str], list[str]]:
    said_from, _ = _said_at(document.lines, symbol)
    lines = min(said_from, symbol.first_line), symbol.last_line
    blocks = [_introduced(symbol) + quoting.cite(document.path, document.sha256, *lines)]
    calls = await calls_of(app, pointed)
    name = Name.parse(pointed.subject.name)
    place = SearchScope(hides=app.acting.hidden())
    uses = await app.symbols.uses(quoting.snapshot, name, ALL_USES, place)
    blocks += _using(uses.hits, calls.callers, document, symbol, quoting)
    blocks += _calling(calls.callees, document, quoting)
    found = uses.coverage
    searched = [f"{symbol.name} ({len(uses.hits):,} uses, in {found.holding:,} files)"]
    searched.append(f"calls, by {calls.by or 'the spelling of names'}")
    if found.unread or found.worker_away:
        searched.append(f"{found.unread:,} more files may contain the name and were not read")
    return blocks, searched


def _introduced(symbol: Symbol) -> str:
    within = f" of `{'.'.join(symbol.container)}`" if symbol.container else ""
    said = f" {_sentence(symbol.documentation)}" if symbol.documentation else ""
    return f"{symbol.kind.capitalize()}{within}: `{symbol.signature}`.{said} "


def _said_at(lines: Sequence[str], symbol: Symbol) -> tuple[int, int]:
    """The lines of a symbol's name and documentation; of its name alone, if that is not found."""
    name = symbol.name_line
    for count in range(_DOCUMENTATION_LINES if symbol.documentation else 0):
        for first, last in ((name, name + count), (max(1, symbol.first_line - count), name)):
            bare = (_MARKERS.sub("", line) for line in lines[first - 1 : last])
            if symbol.documentation in " ".join(" ".join(bare).split()):
                return first, last
    return name, name


def _using(
    uses: Iterable[Use],
    callers: Sequence[Call],
    document: Document,
    symbol: Symbol,
    quoting: Quoting,
) -> list[str]:
    """A finding for each definition that uses a symbol: the product's code first, then tests.

    Of code at the top level, the file is named. Tests that only mention it are counted by file.
    """
    called: dict[tuple[FileKind, str], list[SourceLine]] = {}
    extended: dict[tuple[FileKind, str], list[SourceLine]] = {}
    named: dict[tuple[FileKind, str], list[SourceLine]] = {}
    tests: dict[str, list[SourceLine]] = {}
    for call in callers:
        kind = kind_of(quoting.snapshot.relative(call.line.path))
        called.setdefault((kind, f"`{call.name}`"), []).append(call.line)
    calling = {call.name for call in callers}
    extends = _extends(symbol.name)
    for use in uses:
        line, within = use.line, ".".join(use.reference.within)
        path = quoting.snapshot.relative(line.path)
        inside = symbol.first_line <= line.number <= symbol.last_line
        if is_test(path):
            tests.setdefault(path, []).append(line)
        elif use.reference.kind != "reference" or within in calling:
            continue
        elif not (line.path == document.path and inside):
            users = extended if extends.search(line.text) else named
            user = f"`{within}`" if within else f"`{path}` at its top level"
            users.setdefault((kind_of(path), user), []).append(line)
    findings = [
        *_users("Called by", called, quoting),
        *_users("Extended by", extended, quoting),
        *_users("Used by", named, quoting),
        *((FileKind.TEST, finding) for finding in _mentioning(tests, quoting)),
    ]
    return [finding for _, finding in sorted(findings, key=lambda finding: finding[0])]


def _users(heading: str, users: _Users, quoting: Quoting) -> Iterator[tuple[FileKind, str]]:
    """A finding for each user, with the kind of its file, in the order of the kinds."""
    kind = FileKind.CODE
    for (kind, name), lines in sorted(users.items(), key=lambda user: user[0][0])[
        :_NAMED_OF_A_KIND
    ]:
        yield kind, f"- {heading} {name}{_often(lines)}. {quoting.line(lines[0])}"
    if (more := len(users) - _NAMED_OF_A_KIND) > 0:
        yield kind, f"- {heading} {more:,} more."


def _calling(callees: Sequence[Call], document: Document, quoting: Quoting) -> Iterator[str]:
    """A finding for each function that is called, with the place of the first call."""
    built_in = _BUILTINS.get(language_of(document.path, document.text) or "", frozenset())
    by_name: dict[str, list[SourceLine]] = {}
    for call in callees:
        if call.name not in built_in and not _SPECIAL.fullmatch(call.name):
            by_name.setdefault(call.name, []).append(call.line)
    for name, lines in list(by_name.items())[:_NAMED_OF_A_KIND]:
        yield f"- It calls `{name}`{_often(lines)}. {quoting.line(lines[0])}"
    if (more := len(by_name) - _NAMED_OF_A_KIND) > 0:
        yield f"- It calls {more:,} more."


def _extends(name: str) -> re.Pattern[str]:
    """Matches the line of a definition that extends or implements `name`, as languages spell it."""
    base = rf"\b{re.escape(name)}\b"
    return re.compile(
        rf"\b(?:class|interface|extends|implements)\b[^{{\[<]*{base}|\bimpl\b.*{base}.*\bfor\b"
    )


def _often(lines: Sequence[SourceLine]) -> str:
    return f", {len(lines)} times" if len(lines) > 1 else ""


def _mentioning(tests: Mapping[str, Sequence[SourceLine]], quoting: Quoting) -> Iterator[str]:
    for path, lines in sorted(tests.items(), key=lambda test: -len(test[1]))[:_NAMED_OF_A_KIND]:
        often = f" {len(lines)} times" if len(lines) > 1 else ""
        yield f"- Mentioned{often} in the tests of `{path}`. {quoting.line(lines[0])}"
    if (more := len(tests) - _NAMED_OF_A_KIND) > 0:
        yield f"- Mentioned in {more:,} more files of tests."


async def _of_file(
    app: Application, quoting: Quoting, document: Document
) -> tuple[list[str], list[str]]:
    symbols = await app.symbols.outline(quoting.snapshot, document)
    top = [symbol for symbol in symbols if not symbol.container]
    path, total = quoting.snapshot.relative(document.path), len(document.lines)
    kinds = Counter(symbol.kind for symbol in top)
    holds = ", ".join(counted(count, kind) for kind, count in kinds.most_common())
    blocks = [
        f"`{path}` has {counted(total, 'line')}" + (f" and defines {holds}." if holds else ".")
    ]
    if not top:
        blocks += await asyncio.to_thread(lambda: list(beginning(quoting, document.path)))
    largest = sorted(top, key=lambda symbol: symbol.first_line - symbol.last_line)[
        :_NAMED_OF_A_KIND
    ]
    for symbol in sorted(largest, key=lambda symbol: symbol.first_line):
        mark = quoting.cite(document.path, document.sha256, *_said_at(document.lines, symbol))
        said = f": {_sentence(symbol.documentation)}" if symbol.documentation else "."
        blocks.append(f"- {symbol.kind.capitalize()} `{symbol.name}`{said} {mark}")
    return blocks, [f"{path} ({len(symbols):,} symbols)"]


def _of_folder(app: Application, quoting: Quoting, pointed: Pointed) -> tuple[list[str], list[str]]:
    """What is listed in a folder, and the beginning of its README; blocking."""
    snapshot, hides = quoting.snapshot, app.acting.hidden()
    top = os.path.join(pointed.subject.path, "")
    inside = [
        entry.path[len(top) :]
        for entry in snapshot.files()
        if entry.path.startswith(top) and not (hides and hides(entry.path))
    ]
    parts = Counter(name.partition(os.sep)[0] for name in inside if os.sep in name)
    name = pointed.name[:1].upper() + pointed.name[1:]
    blocks = [f"{name} holds {counted(len(inside), 'file')} in {counted(len(parts), 'folder')}."]
    for path in inside:
        if os.sep not in path and path.lower().startswith("readme"):
            blocks += beginning(quoting, top + path)
    blocks += [
        f"- `{part}/` holds {counted(count, 'file')}."
        for part, count in parts.most_common(_NAMED_OF_A_KIND)
    ]
    return blocks, [f"{pointed.name} ({len(inside):,} files)"]


def beginning(quoting: Quoting, path: str) -> Iterator[str]:
    """The first paragraph of a text that says something."""
    document = quoting.snapshot.read(path)
    if isinstance(document, Document) and (begun := first_paragraph(document.lines)):
        text = " ".join(begun.values())
        mark = quoting.cite(path, document.sha256, min(begun), max(begun))
        yield f"{_sentence(text)} {mark}"


def first_paragraph(lines: Sequence[str]) -> dict[int, str]:
    """The lines, by number (1-based), of the first paragraph that says something.

    Badges, tags, mottos, headings and menus are no such paragraph.
    """
    begun: dict[int, str] = {}
    for at, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        text = _TAG.sub(" ", _IMAGE.sub(" ", line)).strip()
        if begun and (not text or _NO_PROSE.match(text)):
            break
        if begun or _begins_prose(text, below):
            begun[at] = text
    return begun


def _begins_prose(text: str, next_line: str) -> bool:
    """Whether a line, without its pictures and tags, begins a paragraph that says something."""
    if _NO_PROSE.match(text) or _UNDERLINE.fullmatch(next_line.strip()):
        return False
    said = _LINK.sub(" ", text)
    short = said == text and text.endswith(".")
    return len(_WORDS.findall(said)) >= (_SHORT_WORDS if short else _PROSE_WORDS)


async def _touched(app: Application, pointed: Pointed) -> Iterable[str]:
    symbol = pointed.symbol
    lines = (symbol.first_line, symbol.last_line) if symbol else None
    commit = await last_commit(app, pointed.subject.path, lines)
    if commit is None:
        return ()
    said = f"`{commit.name}` of {commit.day} by {commit.author}: {commit.subject}"
    return (f"- Last touched by commit {said}",)


def counted(count: int, what: str) -> str:
    """A count in words."""
    return f"{count:,} {what if count == 1 else _PLURALS.get(what, f'{what}s')}"


def _sentence(text: str) -> str:
    """A text as one paragraph that ends like a sentence."""
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?", ":")) else f"{line}."
