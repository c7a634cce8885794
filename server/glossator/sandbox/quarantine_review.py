"""The question about files in quarantine, and the note on what became of them.

The question shows every file whole, those in folders, too, and where links lead; it says what is
cut.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence

from glossator.core.permission import Cut, PermissionAnswer, PermissionRequest, as_sent
from glossator.core.shown import shown, shown_text
from glossator.permissions import why_protected
from glossator.sandbox.quarantine import Quarantined
from glossator.sandbox.safe_copy import Entry, error_text, open_folder, walk

Relative = Callable[[str], str]  # a path as the user knows it

_MOST_NAMED = 5
_MOST_SHOWN = 500_000  # bytes; to escape so many takes some two seconds
_INDENT = "    "  # of contents, so that none can pass for the name of another file


def quarantine_question(taken: Sequence[Quarantined], relative: Relative) -> PermissionRequest:
    """The question about these files; blocking."""
    names = [shown(relative(each.path)) for each in taken]
    what = names[0] if len(names) == 1 else f"{len(names)} protected files"
    reasons = [
        f"{name} is protected: {why_protected(each.path)}."
        for name, each in zip(names, taken, strict=True)
    ]
    if (more := len(reasons) - _MOST_NAMED) > 0:
        reasons[_MOST_NAMED:] = [f"{more:,} more are protected."]
    left = [
        f"{name} ({each.failure})" for name, each in zip(names, taken, strict=True) if each.failure
    ]
    if left:
        reasons.append(
            f"Still in its place, and removed for good if you deny: {_some(left, '; ')}."
        )
    detail = _Detail()
    for name, each in zip(names, taken, strict=True):
        _describe(each.at, name, detail)
    title = f"A command made {what}. May that stay?"
    text, cut = detail.sent()
    return PermissionRequest("Bash", title, text, tuple(reasons), cut=cut)


def outcome_text(
    taken: Sequence[Quarantined],
    relative: Relative,
    answer: PermissionAnswer | None,
    *,
    stays: bool,
) -> str:
    """What became of the files, in a line; without `answer` the user was not asked."""
    paths = [shown(relative(each.path)) for each in taken]
    failures = [
        f"{path}: {each.failure}" for path, each in zip(paths, taken, strict=True) if each.failure
    ]
    failed = f"; {_some(failures, '; ')}" if failures else ""
    what = (
        f"A command made {_some(paths, ', ')}, which {'is' if len(taken) == 1 else 'are'} protected"
    )
    if stays:
        said = "allowed that, but not all of it is there" if failures else "lets that stay"
        return f"{what}; the user {said}{failed}"
    who = "the user did not let that stay" if answer and answer.asked else "nobody could be asked"
    words = f" ({answer.message})" if answer and answer.asked and answer.message else ""
    moved = next((each.at for each in taken if each.is_copied and not each.failure), None)
    place = "" if moved is None else shown(os.path.dirname(os.path.dirname(moved)))
    return f"{what}; {who}{words}{place and f', so it was moved to {place}'}{failed}"


class _Detail:
    """The text of the question, within a budget of bytes; what does not fit is counted."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._tail: list[str] = []
        self._left = 0
        self._budget = _MOST_SHOWN

    def add(self, title: str, entry: Entry | None = None, *, is_main: bool = False) -> None:
        """Add an entry, and its content if it is a file; of a main one at least the title."""
        size = 0
        if entry is not None and stat.S_ISREG(entry.status.st_mode):
            size = entry.status.st_size
        if self._budget > 0:
            fitting = min(size, self._budget)
            self._texts.append(title + _content(entry, fitting) if entry and size else title)
            self._budget -= fitting + len(title)
            self._left += size - fitting
            return
        if is_main:
            self._tail.append(title)
        self._left += size + (0 if is_main else len(title))

    def sent(self) -> tuple[str, Cut | None]:
        """All of it, or its beginning."""
        return as_sent("\n".join(self._texts), self._left, "\n".join(self._tail))


def _describe(path: str, name: str, detail: _Detail) -> None:
    """The content of a file, all that is in a folder, where a link leads."""
    above, last = os.path.split(path)
    try:
        with open_folder(above) as folder:
            for entry in walk(last, folder):
                title = shown(os.path.join(name, entry.path)) if entry.path else name
                detail.add(f"{title}: {_kind(entry)}", entry, is_main=not entry.path)
    except OSError as error:
        detail.add(f"{name}: it cannot be read ({error_text(error)})", is_main=True)


def _kind(entry: Entry) -> str:
    mode = entry.status.st_mode
    if (link := entry.link) is not None:
        return f"a link to {shown(link)}"
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISREG(mode):
        return f"{entry.status.st_size:,} bytes{', which can be run' if mode & 0o111 else ''}"
    return "neither a file, a folder nor a link"


def _content(entry: Entry, most: int) -> str:
    try:
        text = entry.read(most).decode("utf-8", "backslashreplace")
    except OSError as error:
        return f", which cannot be read ({error_text(error)})"
    lines = shown_text(text).removesuffix("\n").split("\n")
    return "".join(f"\n{_INDENT}{line}" for line in lines)


def _some(texts: Sequence[str], between: str) -> str:
    more = len(texts) - _MOST_NAMED
    return between.join(texts[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
