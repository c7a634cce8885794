"""What the user is asked, and what is told, about what was set aside: nothing is hidden in it.

The question shows all files whole, also those in folders, and where links lead; what does not fit
is said to be cut.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence

from glossator.core.permission import Cut, PermissionAnswer, PermissionRequest, as_sent
from glossator.core.shown import shown, shown_text
from glossator.permissions.protected import protection
from glossator.sandbox.fresh_copies import Entry, held, reason, walk
from glossator.sandbox.set_aside import Aside

Relative = Callable[[str], str]  # a path as the user knows it

_MOST_NAMED = 5
_MOST_SHOWN = 500_000  # bytes; to escape so many takes some two seconds
_INDENT = "    "  # of contents, so that none can pass for the name of another file


def question(taken: Sequence[Aside], relative: Relative) -> PermissionRequest:
    """What the user is asked about what was set aside; blocking."""
    names = [shown(relative(each.path)) for each in taken]
    what = names[0] if len(names) == 1 else f"{len(names)} protected files"
    reasons = [
        f"{name} is protected: {protection(each.path)}."
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


def told(
    taken: Sequence[Aside], relative: Relative, answer: PermissionAnswer | None, *, stays: bool
) -> str:
    """What became of it, in a line; no `answer`: the user was not asked."""
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
    """What was set aside, one after another; what does not fit is counted."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._tail: list[str] = []
        self._left = 0
        self._room = _MOST_SHOWN

    def add(self, title: str, entry: Entry | None = None, *, is_main: bool = False) -> None:
        """Something, and its content if it is a file; of the main ones at least the title."""
        size = 0
        if entry is not None and stat.S_ISREG(entry.status.st_mode):
            size = entry.status.st_size
        if self._room > 0:
            fitting = min(size, self._room)
            self._texts.append(title + _content(entry, fitting) if entry and size else title)
            self._room -= fitting + len(title)
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
        with held(above) as folder:
            for entry in walk(last, folder):
                title = shown(os.path.join(name, entry.path)) if entry.path else name
                detail.add(f"{title}: {_kind(entry)}", entry, is_main=not entry.path)
    except OSError as error:
        detail.add(f"{name}: it cannot be read ({reason(error)})", is_main=True)


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
        return f", which cannot be read ({reason(error)})"
    lines = shown_text(text).removesuffix("\n").split("\n")
    return "".join(f"\n{_INDENT}{line}" for line in lines)


def _some(texts: Sequence[str], between: str) -> str:
    more = len(texts) - _MOST_NAMED
    return between.join(texts[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
