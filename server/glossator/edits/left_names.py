"""Where the old name still stands after a rename, in words for the model.

A server renames what it has read and what means the symbol. What else spells the name is of four
kinds: names kept for others (`export { New as Old }`), code that means something else or that the
server has not read, methods that may override the renamed one, and comments, strings and documents.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from time import monotonic
from typing import NamedTuple

from glossator.core.document import Document
from glossator.core.edit import FileEdit
from glossator.core.file_kinds import CODE, language_of
from glossator.core.shown import some_of
from glossator.core.text import LineTable, Position, split_lines
from glossator.edits.edit_report import line_ranges
from glossator.symbols import ALL_USES, Limits, Name, SearchScope, SymbolFinder, Use, namesakes
from glossator.tools import IsHidden, ToolContext, in_thread
from glossator.workspace import WorkspaceSnapshot, analyse, candidates

_MOST_NAMED = 5  # files, or methods
_CODE = Limits(texts=1_000, hits=2_000, seconds=5.0)
_MAX_TEXTS = 300  # read for comments, strings and documents,
_SECONDS = 0.5  # and for so long
_FOR_OTHERS = "Still named so for others: {}."
_OF_OTHERS = "Still spelled so: {}; {}of other symbols, or of files left out by the server."
_METHODS = "Also methods so named, perhaps overrides: {}."
_WORDS = "In comments, strings or documents: {}{}."
_UNREAD = "Names in comments, in strings and in documents stay; not all files were looked at."

_Lines = Mapping[str, Collection[int]]  # 1-based, by path


class Region(NamedTuple):
    """A text that is renamed: from and to in the base, and what it becomes, from there on."""

    first: int
    last: int
    after: str
    now: int  # where it begins in the result


async def left_names(
    context: ToolContext, old: str, renamed: Mapping[str, tuple[FileEdit, Sequence[Region]]]
) -> tuple[str, ...]:
    """Lines of text about where `old` will still stand; none if nowhere.

    `renamed` are the edits by path, with what is renamed in each.
    """
    snapshot, hides, name = context.snapshot, context.hidden, Name.parse(old)
    finder, word = context.need(SymbolFinder), re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    results = {path: edit.result for path, (edit, _) in renamed.items()}
    uses, defining, (spelled, is_whole) = await asyncio.gather(
        finder.uses(snapshot, name, ALL_USES, SearchScope(languages=CODE, hides=hides), _CODE),
        finder.definitions(snapshot, name, SearchScope(hides=hides)),
        in_thread(_spelled, snapshot, old, word, results, hides),
    )
    kept = {path: _kept(edit, regions, word) for path, (edit, regions) in renamed.items()}
    code = _of_others(uses.hits, renamed)
    touched = {
        (path, LineTable(edit.before).position(each.first, "utf-32").line + 1)
        for path, (edit, regions) in renamed.items()
        for each in regions
    }
    if uses.coverage.unread or uses.coverage.unparsed:  # code would be taken for comments
        spelled = {path: each for path, each in spelled.items() if language_of(path) not in CODE}
        is_whole = False
    words = {
        path: lines - kept.get(path, set()) - code.get(path, set())
        for path, lines in spelled.items()
    }
    found: list[str] = []
    through = ""
    if any(kept.values()):
        found.append(_FOR_OTHERS.format(_places(kept, snapshot)))
        through = "through that name, "
    if code:
        found.append(_OF_OTHERS.format(_places(code, snapshot), through))
    if methods := namesakes(defining.hits, touched, snapshot):
        found.append(_METHODS.format(some_of(methods, _MOST_NAMED)))
    if any(words.values()):
        more = "" if is_whole else ", and perhaps others"
        found.append(_WORDS.format(_places(words, snapshot), more))
    elif not is_whole:
        found.append(_UNREAD)
    return tuple(found)


def _kept(edit: FileEdit, regions: Iterable[Region], word: re.Pattern[str]) -> set[int]:
    """The lines of the result on which a renamed text still has the old name, beside the new."""
    table = LineTable(edit.result)
    return {
        table.position(each.now + found.start(), "utf-32").line + 1
        for each in regions
        for found in word.finditer(each.after)
    }


def _of_others(
    uses: Iterable[Use], renamed: Mapping[str, tuple[FileEdit, Sequence[Region]]]
) -> dict[str, set[int]]:
    """The lines with uses that are not renamed."""
    left: dict[str, set[int]] = defaultdict(set)
    for use in uses:
        edit, regions = renamed.get(use.line.path, (None, ()))
        at, base = use.reference, edit.base if edit is not None else None
        if base is not None and base.sha256 == use.line.sha256:
            first = base.table.offset(Position(at.line - 1, at.start), "utf-32")
            last = first + at.end - at.start
            if any(each.first < last and first < each.last for each in regions):
                continue
        left[use.line.path].add(use.line.number)
    return left


def _spelled(
    snapshot: WorkspaceSnapshot,
    old: str,
    word: re.Pattern[str],
    results: Mapping[str, str],
    hides: IsHidden | None,
) -> tuple[dict[str, set[int]], bool]:
    """The lines that will hold the word, and whether all texts were looked at; blocking."""
    end = monotonic() + _SECONDS
    found = candidates(snapshot, analyse(re.escape(old)).query)
    every = (entry.path for entry in chain(found.plain, found.others))
    paths = (path for path in every if hides is None or not hides(path))
    lines: dict[str, set[int]] = {}
    for number, path in enumerate(paths):
        if number == _MAX_TEXTS or monotonic() > end:
            return lines, False
        text = results.get(path)
        if text is None:
            document = snapshot.read(path)
            text = document.text if isinstance(document, Document) else ""
        if word.search(text):
            numbered = enumerate(split_lines(text), 1)
            lines[path] = {at for at, line in numbered if word.search(line)}
    return lines, True


def _places(lines: _Lines, snapshot: WorkspaceSnapshot) -> str:
    named = [
        f"{snapshot.relative(path)}:{line_ranges(sorted(each))}"
        for path, each in sorted(lines.items())
        if each
    ]
    return some_of(named, _MOST_NAMED)
