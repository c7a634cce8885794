"""Text from a workspace made safe to show: it may hold what a terminal would obey."""

from __future__ import annotations

_CONTROLS = frozenset([*range(0x20), *range(0x7F, 0xA0)]) - {0x09, 0x0A}  # C0, DEL, C1
_VISIBLE = {
    code: chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}" for code in _CONTROLS
}


def printable(text: str) -> str:
    """`text` with its control characters made visible; tabs stay, line ends become LF."""
    return text.replace("\r\n", "\n").translate(_VISIBLE)
