"""A permission request as text: an excerpt for a message box, the whole for a file.

Only the lines of the command or change itself are indented.
"""

from __future__ import annotations

from collections.abc import Iterator

from glossator.core.asking import asker
from glossator.core.excerpt import Line, excerpt, is_cut
from glossator.core.permission import Cut, PermissionRequest

_MESSAGE_LINES, _MESSAGE_CHARACTERS = 30, 300  # that a message box has room for
_TITLE_CHARACTERS = 60  # of a session
_NOT_WHOLE = "This is not shown whole: where a line begins with …, something is left out."
# Vim obeys what stands in the first five lines and the last five, Emacs what stands in the first
# line and after the last form feed: there is only what is written here.
_HEAD = (
    "What Glossator asks about, and when it asks; only what it asks about is indented." + "\n" * 5
)
_END = "\n" * 6 + "\f\nThe end.\n"


def for_session(text: str) -> str:
    """What is asked, below the title of the session that asks."""
    title = asker().session_title
    if len(title) > _TITLE_CHARACTERS:
        title = f"{title[:_TITLE_CHARACTERS]}…"
    return f"Session: {title}\n{text}" if title else text


def is_whole(request: PermissionRequest) -> bool:
    """Whether a message box has room for all that is asked about."""
    return not is_cut(_excerpt(request))


def in_a_message(request: PermissionRequest, whole: str) -> str:
    """What a message box has room for; if that is not all, it says so, and `whole`."""
    detail = _excerpt(request)
    left_out = [_NOT_WHOLE, whole] if is_cut(detail) else []
    return "\n".join((request.title, *map(_indented, detail), *left_out, *request.reasons))


def in_a_file(request: PermissionRequest) -> str:
    """All that is asked about, as far as it was sent."""
    asked = for_session("\n".join((request.title, *request.reasons)))
    return f"{_HEAD}{asked}\n\n" + "\n".join(map(_indented, _whole(request))) + _END


def _excerpt(request: PermissionRequest) -> tuple[Line, ...]:
    cut = request.cut
    lines = excerpt(request.detail, lines=_MESSAGE_LINES, characters=_MESSAGE_CHARACTERS)
    if cut is None:
        return lines
    tail = excerpt(cut.tail, lines=_MESSAGE_LINES, characters=_MESSAGE_CHARACTERS)
    return (*lines, _unsent(cut), *tail)


def _whole(request: PermissionRequest) -> Iterator[Line]:
    yield from map(Line, request.detail.split("\n"))
    if request.cut is not None:
        yield _unsent(request.cut)
        yield from map(Line, request.cut.tail.split("\n"))


def _unsent(cut: Cut) -> Line:
    return Line(f"… {cut.bytes:,} more bytes", mark=True)


def _indented(line: Line) -> str:
    return line.text if line.mark else f"  {line.text}"
