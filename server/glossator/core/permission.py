"""What tools may do, what the user is asked before one acts, and what the user may answer.

A long text about which the user decides is shown as an excerpt: whatever is left out has a mark, a
line of its own that says how much. Runs of blank lines and lines that are too long are shortened,
and of too many lines the first and the last are shown. Who shows it ensures that no line of the
text passes for a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from glossator.core.edit import Parts, PlanView

_DETAIL_BYTES = 1_000_000  # of what is asked about
_BLANK = frozenset({"", "+", "-"})  # in a diff, too
_BLANK_LINES = 3  # in a row that are shown
_AFTER_LONG = 100  # characters from the end of a line that is too long


class Access(StrEnum):
    """What a tool may do to the world."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    REMEMBER = "remember"  # it changes what later sessions are told, outside the workspace
    NONE = "none"  # it speaks with the user, or keeps notes


class Choice(StrEnum):
    """What the user decided, and for how long."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"  # in this workspace
    DENY = "deny"


class Mode(StrEnum):
    """What is done without asking; each allows what the one before does."""

    PLAN = "plan"  # reads only, and refuses what it does not do
    ASK = "ask"  # reads
    ACCEPT_EDITS = "acceptEdits"  # and edits in the workspace
    AUTO = "auto"  # and all but remembering and MCP servers; of the shell, what a sandbox holds


@dataclass(frozen=True, slots=True)
class Permit:
    """A call may be made; it edits no paths but `paths`, the real ones it was decided about.

    `only_reads`: it is a command that was found to change nothing, and is kept from doing so.
    `hard_linked` are files and folders that a command may not change because they have other names
    elsewhere, unless the user was asked about just that. `parts` of an edit are all that is made of
    it; None: the whole of it.
    """

    paths: frozenset[str] = frozenset()
    only_reads: bool = False
    hard_linked: tuple[str, ...] = ()
    parts: Parts | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """What is left out of a detail that is too long to be sent: so many bytes before `tail`."""

    bytes: int
    tail: str


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A question to the user; nothing runs before it is answered.

    `title` is one line, `detail` the whole command or change; where it is too long to be sent, its
    beginning, and `cut` says what follows. `suggestions` are the rules that would together allow it
    next time; without any it can be allowed once only. `plan` is an edit in its parts, as it would
    be made now; None where there is no edit, its place is not known, or it is too long.
    """

    tool: str
    title: str
    detail: str
    reasons: tuple[str, ...]
    suggestions: tuple[str, ...] = ()
    cut: Cut | None = None
    plan: PlanView | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be answered."""
        if self.suggestions:
            return tuple(Choice)
        return (Choice.ONCE, Choice.DENY)

    def offers(self, answer: PermissionAnswer) -> bool:
        """Whether the answer is one to this question."""
        hunks = self.plan.hunks if self.plan and not self.plan.as_one else ()
        parts = set(answer.parts or ())
        if answer.parts is not None and not (hunks and parts.issubset(each.id for each in hunks)):
            return False
        return answer.choice in self.choices


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    """The user's answer; `message` is what the model reads of what is denied, if anything.

    `asked` is false where nobody could be asked: the message is not the user's then. `rules` are
    kept instead of those suggested, if the user wrote other ones; an empty list keeps none.
    `parts` are the hunks of the plan that are allowed, by id, if not all of them are.
    """

    choice: Choice
    message: str = ""
    asked: bool = True
    rules: tuple[str, ...] | None = None
    parts: tuple[str, ...] | None = None


def as_sent(detail: str, left: int = 0, tail: str = "") -> tuple[str, Cut | None]:
    """All of a detail; of one that is too long its beginning, and what of the rest is sent.

    Where so many bytes are `left` out already, `tail` is what follows them.
    """
    content, end = (text.encode("utf-8", "backslashreplace") for text in (detail, tail))
    half = _DETAIL_BYTES // 2
    if not left:
        if len(content) <= _DETAIL_BYTES:
            return detail, None
        content, end = content[:-half], content[-half:]
    head, tail = (part.decode("utf-8", "ignore") for part in (content[:half], end[-half:]))
    left += len(content[half:]) + len(end[:-half])
    return head, Cut(left, tail)


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line of the text, or with `mark` a sentence about `lines` of it that are left out."""

    text: str
    mark: bool = False
    lines: int = 1


def excerpt(text: str, *, lines: int, characters: int) -> tuple[ExcerptLine, ...]:
    """At most so many `lines` for `text`, each of at most so many `characters`."""
    squeezed = tuple(_squeezed(text.removesuffix("\n").split("\n"), characters))
    if len(squeezed) <= lines:
        return squeezed
    tail = lines // 3
    head = lines - tail - 1
    left = sum(line.lines for line in squeezed[head:-tail])
    mark = ExcerptLine(f"… {left:,} more lines", mark=True, lines=left)
    return (*squeezed[:head], mark, *squeezed[-tail:])


def is_cut(lines: Iterable[ExcerptLine]) -> bool:
    """Whether something of the text is not shown."""
    return any(line.mark for line in lines)


def _squeezed(lines: Iterable[str], characters: int) -> Iterator[ExcerptLine]:
    for blank, group in groupby(lines, lambda line: line.strip() in _BLANK):
        run = list(group)
        if blank and len(run) > _BLANK_LINES:
            yield ExcerptLine(f"… {len(run):,} blank lines", mark=True, lines=len(run))
            continue
        for line in run:
            yield from _cut_line(line, characters)


def _cut_line(line: str, characters: int) -> Iterator[ExcerptLine]:
    left = len(line) - characters
    if left <= 0:
        yield ExcerptLine(line)
        return
    yield ExcerptLine(line[: characters - _AFTER_LONG])
    yield ExcerptLine(f"… {left:,} more characters of this line", mark=True, lines=0)
    yield ExcerptLine(line[-_AFTER_LONG:], lines=0)
