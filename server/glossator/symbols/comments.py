"""The first paragraph of a docstring or comment, without its markers, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import dropwhile, takewhile

from glossator.core.text import split_lines

_STRING = re.compile(r"""[rRuU]?('''|\"""|'|")(.*)\1""", re.DOTALL)  # not f"…", not b"…"
_OPENING = re.compile(r"^\s*(?:/\*+!?|//[/!]*|#+|=begin)<?[ \t]?")
_CLOSING = re.compile(r"\s*(?:\*+/|^=end\b.*)\s*$", re.MULTILINE)
_CONTINUED = re.compile(r"^\s*\*+(?:[ \t]|$)")
_DOC_MARKERS = ("/**", "///", "//!", "/*!")
_BRIEF = re.compile(r"^[@\\]brief\s+")
_SHEBANG = "#!"
_XML_WRAPPER = re.compile(r"</?(?:summary|para)>|<inheritdoc[^>]*>")
_XML_NAME = re.compile(r"""<\w+ (?:cref|name|langword)=["'](?:\w:)?([^"']*)["'] ?/>""")
_XML_SECTION = re.compile(r"<(?:param|typeparam|returns|remarks|exception|example|value)\b")
_EMPTY_BLOCK = re.compile(r"/\*+/")


def docstring_paragraph(literal: str) -> str:
    """The first paragraph of a Python string literal; "" if the literal is no docstring.

    Escapes are kept as they are written.
    """
    match = _STRING.fullmatch(literal)
    return _first_paragraph(split_lines(match[2])) if match else ""


def comment_paragraph(comments: list[str]) -> str:
    """The first paragraph of the comments that stand together above a definition, in order.

    Where some are marked as documentation (`/**`, `///`), the others are remarks and left out.
    A section of tags (`@param`, `<param>`) is not part of it.
    """
    comments = [comment for comment in comments if not comment.startswith(_SHEBANG)]
    marked = [comment for comment in comments if comment.startswith(_DOC_MARKERS)]
    lines = [_BRIEF.sub("", line) for text in marked or comments for line in _bare(text)]
    return _first_paragraph("" if _opens_section(line) else _without_xml(line) for line in lines)


def _opens_section(line: str) -> bool:
    return line.startswith("@") or _XML_SECTION.match(line) is not None


def _without_xml(line: str) -> str:
    """`line` without the tags of C# documentation; a reference leaves the name it is to."""
    if "<" not in line:
        return line
    return _XML_NAME.sub(r"\1", _XML_WRAPPER.sub("", line))


def _bare(comment: str) -> Iterator[str]:
    """The lines of one comment without its markers."""
    if _EMPTY_BLOCK.fullmatch(comment):
        return
    if comment.startswith(("/*", "=begin")):
        comment = _CLOSING.sub("", comment)
    first, *rest = split_lines(comment)
    yield _OPENING.sub("", first).strip()
    for line in rest:
        yield _CONTINUED.sub("", line).strip()


def _first_paragraph(lines: Iterable[str]) -> str:
    paragraph = takewhile(str.strip, dropwhile(lambda line: not line.strip(), lines))
    return " ".join(" ".join(paragraph).split())
