"""Reports which parts of a command's last pipeline failed; a shell's exit code is the last part's.

If a command ends in a pipeline, bash writes the exit codes of all parts (`PIPESTATUS`) to a pipe of
ours when it ends. What the command means stays the same. Other shells do not know the codes.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from glossator.core.shown import shown
from glossator.shell.syntax import ShellNode, syntax_tree

_PART_LETTERS = 60  # of a part
_FIRST_DESCRIPTOR = 20  # those below 10 are a script's own; a shell takes some from 10 on
_CHUNK = 4_096
_NOBODY_READS = 141  # of a part that ended because what comes after it had enough: SIGPIPE


@dataclass(frozen=True, slots=True)
class FailedPart:
    """A part of a pipeline that failed although the last one did not; its text is shortened."""

    part: str
    code: int


class PartCodes:
    """The exit codes of the parts of a command's last pipeline, as bash reports them."""

    def __init__(self, parts: tuple[str, ...], reading: int, writing: int) -> None:
        self._parts = parts
        self._reading = reading
        self.descriptor = writing

    @property
    def prelude(self) -> str:
        """What to put before the command, on its first line, for bash."""
        report = f'builtin printf %s "${{PIPESTATUS[*]}}" >&{self.descriptor}'
        return f"trap '{{ {report}; }} 2>/dev/null' EXIT; "

    def failed(self) -> tuple[FailedPart, ...]:
        """The parts that failed, if the command exited with 0, which ends its last pipeline."""
        try:
            codes = os.read(self._reading, _CHUNK).decode("ascii", "replace").split()
        except BlockingIOError:  # the command has a trap of its own, or became another program
            return ()
        if len(codes) != len(self._parts) or not all(map(str.isdecimal, codes)):
            return ()
        parts = zip(self._parts, map(int, codes), strict=True)
        return tuple(
            FailedPart(part, code) for part, code in parts if code not in (0, _NOBODY_READS)
        )


@contextmanager
def part_codes(command: str) -> Iterator[PartCodes | None]:
    """A pipe for the exit codes of a command's last pipeline; None if it does not end in one."""
    parts = last_pipeline(command)
    if not parts:
        yield None
        return
    reading, given = os.pipe()
    try:
        writing = fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, _FIRST_DESCRIPTOR)
        try:
            os.set_blocking(reading, False)
            yield PartCodes(parts, reading, writing)
        finally:
            os.close(writing)
    finally:
        os.close(given)
        os.close(reading)


def last_pipeline(command: str) -> tuple[str, ...]:
    """The parts of the pipeline that ends a command if it exits with 0; empty without one."""
    source = command.encode("utf-8", "replace")
    tree = syntax_tree(source)
    if tree is None or _is_invalid(tree):
        return ()
    last = _last(tree)
    if last is None or last.kind == "&":
        return ()
    while True:
        if last.kind == "list" and last.children[-2].kind == "&&":
            last = last.children[-1]
        elif last.kind == "redirected_statement":  # of its last part
            last = last.children[0]
        else:
            break
    if last.kind != "pipeline" or last.children[0].kind == "negated_command":
        return ()
    parts = (node for node in last.children if node.kind not in ("|", "|&", "comment"))
    return tuple(_shortened(source[node.start : node.end]) for node in parts)


def _last(tree: ShellNode) -> ShellNode | None:
    """The last statement, or the `&` after it."""
    children = [each for each in tree.children if each.kind not in (";", "\n", "comment")]
    return children[-1] if children else None


def _is_invalid(node: ShellNode) -> bool:
    return node.kind in ("ERROR", "MISSING") or any(map(_is_invalid, node.children))


def _shortened(part: bytes) -> str:
    text = shown(" ".join(part.decode("utf-8", "replace").split()))
    return text if len(text) <= _PART_LETTERS else f"{text[:_PART_LETTERS]}…"
