r"""A pattern in ripgrep's words: what RE2 takes for ASCII is written out.

RE2's `\w`, `\d`, `\s` and `\b` are ASCII, ripgrep's are Unicode's. Everything else that
`required.analyse` calls portable is the same in both, for any UTF-8 text.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"\\.|\[:\^?[a-z]+:\]|.", re.DOTALL)
_MEMBERS = {"d": "0-9", "s": r"\t\n\f\r ", "w": "0-9A-Za-z_"}
_FOLDING = re.compile(r"\(\?[a-zA-Z]*i")


def in_ripgrep_words(pattern: str) -> str:
    """The pattern for ripgrep; it must be portable."""
    written: list[str] = []
    in_class = False
    for piece in _PIECE.findall(pattern):
        members = _MEMBERS.get(piece[1].lower()) if piece[0] == "\\" else None
        if members is not None:
            members = f"[^{members}]" if piece[1].isupper() else members
            written.append(members if in_class or members[0] == "[" else f"[{members}]")
        elif piece == r"\b":
            written.append(r"(?-u:\b)")
        else:
            in_class = piece == "[" or (in_class and piece != "]")
            written.append(piece)
    return "".join(written)


def folds_alike(pattern: str, *, ignore_case: bool) -> bool:
    """Whether the engines surely agree on letter case: beyond ASCII, they know other Unicodes."""
    ascii_only = pattern.isascii() and r"\x{" not in pattern
    return ascii_only or not (ignore_case or _FOLDING.search(pattern))
