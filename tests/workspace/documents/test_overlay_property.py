"""Random incremental edits against a naive model of LSP's positions."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.core.text import Position, PositionEncoding
from glossator.workspace.documents.overlays import Edited, Opened, Overlays, TextEdit

URI = "untitled:model"
PIECES = ["a", "b ", "é", "e\u0301", "😀", "👩\u200d💻", "漢", "\t", "\r\n", "\r", "\n"]
PIECES += ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
encodings = st.sampled_from(tuple(CODECS))
# start line, start unit, lines further, end unit: inside the text or behind it
places = st.tuples(*[st.integers(0, 9)] * 4)


def model_lines(text: str) -> list[str]:
    """Lines with their ends; LSP knows LF, CRLF and CR."""
    lines = [""]
    for at, character in enumerate(text):
        lines[-1] += character
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            lines.append("")
    return lines


def units(line: str, encoding: str) -> bytes:
    return line.encode(CODECS[encoding][0])


def model_offset(text: str, position: Position, encoding: str) -> int:
    """The offset by really encoding the line; inside a character that of its start."""
    lines = model_lines(text)
    if position.line >= len(lines):
        return len(text)
    width = CODECS[encoding][1]
    prefix = units(lines[position.line].rstrip("\r\n"), encoding)[: position.character * width]
    inner = prefix.decode(CODECS[encoding][0], "ignore")
    return sum(map(len, lines[: position.line])) + len(inner)


@settings(max_examples=1000, deadline=None)
@given(texts, st.lists(st.tuples(places, texts), max_size=6), encodings)
def test_edits_equal_the_model(
    text: str,
    changes: list[tuple[tuple[int, int, int, int], str]],
    encoding: PositionEncoding,
) -> None:
    overlays = Overlays(encoding)
    overlays.open(Opened(URI, 0, text))
    for version, ((line, unit, further, end_unit), inserted) in enumerate(changes, 1):
        start, end = Position(line, unit), Position(line + further, end_unit)
        low, high = sorted(model_offset(text, place, encoding) for place in (start, end))
        overlays.edit(Edited(URI, version, (TextEdit((start, end), inserted),)))
        text = text[:low] + inserted + text[high:]
        assert overlays.get(URI).text == text
