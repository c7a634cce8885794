"""What a command said and how it ended, as text for the model."""

from __future__ import annotations

import re

from glossator.sandbox.output import Output
from glossator.sandbox.process import Exit

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ADVICE = "narrow it with grep, head or tail, or write it to a file and Read that"


def output_text(output: Output) -> str:
    """The output without what only a terminal obeys, and a line about what is not in it."""
    if not output.omitted_bytes:
        return _plain(output.head + output.tail)
    head, half = _whole_lines(output.head, keep_first=True)
    tail, rest = _whole_lines(output.tail, keep_first=False)
    lines = output.omitted_lines + half.count(b"\n") + rest.count(b"\n")
    size = output.omitted_bytes + len(half) + len(rest)
    note = f"[{lines:,} lines, {_size(size)} left out here; {_ADVICE}]"
    return "\n".join((_plain(head), note, _plain(tail)))


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


def _whole_lines(text: bytes, *, keep_first: bool) -> tuple[bytes, bytes]:
    """The whole lines at one end, and what is cut off; a single long line stays as it is."""
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
