"""A command's output, kept within a budget, and what the model reads about it and its end."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePath

from glossator.core.shown import shown, some_of
from glossator.permissions import obeyed_at_once
from glossator.sandbox.mounts import is_placeholder
from glossator.shell import FailedPart
from glossator.workspace import is_inside

HEAD = 6_000  # bytes
TAIL = 12_000  # bytes
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ADVICE = "narrow it with grep, head or tail, or write it to a file and Read that"
_END = re.compile(r"^(?:\[run \d+\] )?(\[(?:still running|exit code|ended)\b.*)$", re.MULTILINE)
_MAX_NAMED = 5
_REFUSALS = (
    *(b"read-only file system", b"device or resource busy", b"cross-device link"),
    *(b"erofs", b"ebusy", b"exdev"),
)
_MISSING = re.compile(rb"no such file|does not exist|cannot find|enoent", re.IGNORECASE)
_OUTER_PATH = re.compile(rb"(?<![\w./-])(?:/|\.\./)[^\s:'\"`,;<>()\[\]]+")
_SYSTEM = frozenset("bin dev etc gnu lib lib32 lib64 libx32 nix opt proc sbin snap sys usr".split())
_MAX_OUTER = 3
_MAX_LINKS = 5  # one after another
_DENIED = b"permission denied"
_PATH = re.compile(rb"[^\s\0:'\"`,;<>()\[\]]+")
_LISTED = 3  # missing names that a list of files names, which are there in the sandbox alone
_NO_REPOSITORY = b"not a git repository"
_ABOVE = (
    "[Commands see nothing above the workspace, so they miss its repository. The user can open the"
    " repository's top folder.]"
)
_SHARED = (
    "[The repository of this linked worktree lies outside the workspace, so commands only read it."
    " The user can run what changes it, or open the repository's folder, too.]"
)


@dataclass(frozen=True, slots=True)
class Output:
    """Both ends of an output, and how much was between them; `tail` is empty if nothing was."""

    head: bytes = b""
    tail: bytes = b""
    omitted_bytes: int = 0
    omitted_lines: int = 0


class OutputBuffer:
    """Collects output as it comes, and keeps its two ends: little more than the budget."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._limits = head, tail
        self._clear()

    def feed(self, data: bytes) -> None:
        """Add output."""
        head, tail = self._limits
        room = head - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            if len(self._tail) > 4 * tail:
                self._trim()

    def take(self) -> Output:
        """Take the output since the last call."""
        if len(self._tail) > self._limits[1]:
            self._trim()
        if not self._bytes:
            output = Output(bytes(self._head + self._tail))
        else:
            output = Output(bytes(self._head), bytes(self._tail), self._bytes, self._lines)
        self._clear()
        return output

    def end(self, most: int) -> Output:
        """The last `most` bytes, of a buffer that keeps no head; it stays as it is."""
        over = max(0, len(self._tail) - most)
        lines = self._lines + self._tail.count(b"\n", 0, over)
        return Output(b"", bytes(self._tail[over:]), self._bytes + over, lines)

    def _clear(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._bytes = self._lines = 0  # dropped between the two

    def _trim(self) -> None:
        over = len(self._tail) - self._limits[1]
        self._lines += self._tail.count(b"\n", 0, over)
        self._bytes += over
        del self._tail[:over]


@dataclass(frozen=True, slots=True)
class Exit:
    """How a command ended: by itself with a code, or by a signal, such as `SIGKILL`.

    With code 0 its last pipeline may have `failed` parts.
    """

    code: int | None
    signal: str | None = None
    failed: tuple[FailedPart, ...] = ()


def output_text(output: Output) -> str:
    """The output without terminal control sequences, and a line about what is left out."""
    if not output.omitted_bytes:
        return _plain(output.head + output.tail)
    head, half = _whole_lines(output.head, keep_first=True)
    tail, rest = _whole_lines(output.tail, keep_first=False)
    lines = output.omitted_lines + half.count(b"\n") + rest.count(b"\n")
    size = output.omitted_bytes + len(half) + len(rest)
    note = f"[{lines:,} lines, {_size(size)} left out here; {_ADVICE}]"
    return "\n".join((_plain(head), note, _plain(tail)))


def end_text(output: Output) -> str:
    """The end of an output for people, and above it how much came before."""
    if not output.omitted_bytes:
        return _plain(output.tail)
    tail, rest = _whole_lines(output.tail, keep_first=False)
    lines = output.omitted_lines + rest.count(b"\n")
    before = f"{lines:,} lines" if lines != 1 else "1 line"
    return f"[{before} before]\n{_plain(tail)}"


def exit_text(ended: Exit | None) -> str:
    """The line about how a command ended."""
    match ended:
        case None:
            return "[still running]"
        case Exit(code, None, ()):
            return f"[exit code {code}]"
        case Exit(code, None, failed):
            parts = ", ".join(f"`{each.part}` ended with exit code {each.code}" for each in failed)
            return f"[exit code {code}, that of the last part; {parts}]"
        case Exit(None, signal):
            return f"[ended by {signal}]"
        case Exit(code, signal):
            return f"[exit code {code}: perhaps ended by {signal}]"


def ended_badly(text: str) -> bool:
    """Whether the last line of `exit_text` in a result says that the command failed.

    Such a line may have the number of the run before it, and notes below it.
    """
    ends = _END.findall(text)
    return bool(ends) and ends[-1] not in (exit_text(None), exit_text(Exit(0)))


def _whole_lines(text: bytes, *, keep_first: bool) -> tuple[bytes, bytes]:
    """The whole lines at one end, and what is cut off; a single long line stays whole."""
    if keep_first:
        at = text.rfind(b"\n") + 1
        return (text[:at], text[at:]) if at else (text, b"")
    at = text.find(b"\n") + 1
    return (text[at:], text[:at]) if 0 < at < len(text) else (text, b"")


def _plain(text: bytes) -> str:
    decoded = _ESCAPE.sub("", text.decode("utf-8", "replace"))
    decoded = _OVERWRITTEN.sub("", decoded.rstrip().replace("\r\n", "\n"))
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", decoded)


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


@dataclass(frozen=True, slots=True)
class BlockedPaths:
    """Absolute paths that a command could not change, or not read.

    They are hard-linked, protected, git's outside the workspace, or `hidden` by the user's rules.
    `cwd` is the folder that it ran in; `readable` is what it may read outside the workspace, beside
    the system's folders.
    """

    hard_linked: Sequence[str] = ()
    protected: Sequence[str] = ()
    shared: Sequence[str] = ()
    hidden: Sequence[str] = ()
    cwd: str = ""
    readable: Sequence[str] = ()


def blocked_notes(
    output: Output, blocked: BlockedPaths, roots: Sequence[str], relative: Callable[[str], str]
) -> Iterator[str]:
    """Notes on what the sandbox kept a command from; blocking.

    `relative` is a path as the model knows it. Nobody looks whether a path that the output names
    exists: a command would learn so what is on the disk.
    """
    said = output.head + output.tail
    lowered = said.lower()
    if any(words in lowered for words in _REFUSALS):
        named = [path for path in blocked.protected if _is_named(path, said)]
        if named:
            names = some_of([shown(relative(path)) for path in named], _MAX_NAMED)
            yield f"[Protected, so that no command changes it unasked: {names}]"
        if blocked.hard_linked:
            first = sorted(blocked.hard_linked, key=lambda path: not _is_named(path, said))
            names = some_of([shown(relative(path)) for path in first], _MAX_NAMED)
            note = f"Read-only here, since other files share it by hard links: {names}"
            yield f"[{note}. Only the user can run what changes that.]"
        if any(os.fsencode(path) in said for path in blocked.shared):
            yield _SHARED
    seen = (*roots, *blocked.shared, *blocked.readable)
    missing = dict.fromkeys((*_outer(said, blocked.cwd), *_led_out(said, blocked, roots)))
    if outer := [shown(path) for path in missing if not _is_seen(path, seen)]:
        note = "Commands see nothing outside the workspace but the system's folders"
        yield f"[{note}, so these may exist: {some_of(outer, _MAX_OUTER)}]"
    denied = _denied(said, blocked.cwd)
    if named := [path for path in blocked.hidden if not denied.isdisjoint(_ends(path))]:
        names = some_of([shown(relative(path)) for path in named], _MAX_NAMED)
        yield f"[Hidden by the sandbox, as the user's rules say: {names}]"
    if stubs := _stubs(said, roots):
        names = some_of([shown(relative(path)) for path in stubs], len(stubs))
        yield f"[Not in the workspace, only empty stand-ins of the sandbox: {names}]"
    if _NO_REPOSITORY in lowered and any(map(_lies_in_repository, roots)):
        yield _ABOVE


def _outer(said: bytes, cwd: str) -> list[str]:
    """The paths outside `cwd` of which an output says that they are missing."""
    lines = (line for line in said.splitlines() if _MISSING.search(line))
    named = (os.fsdecode(found[0]) for line in lines for found in _OUTER_PATH.finditer(line))
    whole = (os.path.join(cwd, path) for path in named)
    return list(dict.fromkeys(os.path.normpath(path) for path in whole if os.path.isabs(path)))


def _led_out(said: bytes, blocked: BlockedPaths, roots: Sequence[str]) -> Iterator[str]:
    """Where the workspace's links lead of which an output says that they are missing.

    What a hidden one leads to is not told: any command can say that it is missing.
    """
    for line in filter(_MISSING.search, said.splitlines()):
        for found in _PATH.finditer(line):
            path = os.path.normpath(os.path.join(blocked.cwd, os.fsdecode(found[0])))
            for _ in range(_MAX_LINKS):
                led = _led_on(path, roots)
                if led is None or any(is_inside(path, each) for each in blocked.hidden):
                    break
                path = led
                if not any(is_inside(path, root) for root in roots):
                    yield path


def _led_on(path: str, roots: Sequence[str]) -> str | None:
    """Where the first link on the way to a path in the workspace leads; no further is looked."""
    root = next((each for each in roots if is_inside(path, each)), None)
    if root is None:
        return None
    parts = os.path.relpath(path, root).split(os.sep)
    for link in list(accumulate(parts, os.path.join, initial=root))[1:]:
        with suppress(OSError):  # no link
            target = os.path.join(os.path.dirname(link), os.readlink(link))
            return os.path.normpath(os.path.join(target, os.path.relpath(path, link)))
    return None


def _is_seen(path: str, seen: Sequence[str]) -> bool:
    """Whether commands see what is at an absolute path, by its name alone."""
    if path.split("/")[1] in _SYSTEM:
        return True
    return any(is_inside(path, each) or is_inside(each, path) for each in seen)


def _denied(said: bytes, cwd: str) -> set[str]:
    """The paths that an output says are denied: as they are written, and absolute.

    With the latter come the folders above them.
    """
    found = set[str]()
    for line in said.splitlines():
        if _DENIED in line.lower():
            for word in _PATH.findall(line):
                whole = PurePath(os.path.normpath(os.path.join(cwd, os.fsdecode(word))))
                found |= {os.path.normpath(os.fsdecode(word)), *map(str, (whole, *whole.parents))}
    return found


def _ends(path: str) -> Iterator[str]:
    """An absolute path, and what is left of it without its first components."""
    yield path
    while path := path.partition("/")[2]:
        yield path


def _stubs(said: bytes, roots: Sequence[str]) -> list[str]:
    """The missing paths whose placeholders an output lists, if it lists several."""
    missing = [path for root in roots for path in obeyed_at_once(root) if _is_missing(path)]
    last = {line.split()[-1].rstrip(b"/") for line in said.splitlines() if line.strip()}
    names = {os.path.basename(os.fsdecode(each)) for each in last}
    listed = [path for path in missing if os.path.basename(path) in names]
    return listed if len(listed) >= min(_LISTED, len(missing)) else []


def _is_missing(path: str) -> bool:
    try:
        return is_placeholder(path)
    except OSError:
        return not os.path.lexists(path)


def _is_named(path: str, said: bytes) -> bool:
    return os.fsencode(os.path.basename(path)) in said


def _lies_in_repository(root: str) -> bool:
    """Whether the repository of a folder is a folder above it, or elsewhere as a worktree's."""
    if os.path.isfile(os.path.join(root, ".git")):
        return True
    above = os.path.dirname(root)
    while not os.path.isdir(os.path.join(above, ".git")):
        if above == (above := os.path.dirname(above)):
            return False
    return True
