"""Checked citations as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.cli.messages import plural
from glossator.cli.wire import Answer, Citation
from glossator.core.citations import CitationMark, rewrite_citations, space_before
from glossator.core.citations import place as lines_of


def place(path: str, first: int | None, last: int | None) -> str:
    """`path`, `path:10` or `path:10-20`; lines are 1-based and inclusive."""
    return path if first is None else lines_of(path, first, last or first)


def where(citation: Citation) -> str:
    """The place of a citation as the answer names it."""
    return place(citation["target"], citation["firstLine"], citation["lastLine"])


def failed(citations: Sequence[Citation]) -> list[Citation]:
    """Those that do not hold, each place once, in the order of the answer."""
    return list({where(each): each for each in citations if each["status"] != "read"}.values())


def why(citation: Citation) -> str:
    """What follows the place: ` does not exist.` or `: Lines 10-20 were not read.`."""
    target, reason = citation["target"], citation["reason"]
    return reason.removeprefix(target) if reason.startswith(f"{target} ") else f": {reason}"


def read_line(citations: Sequence[Citation]) -> str | None:
    """How many hold: `✓ 18 citations read`; None for none."""
    read = {where(each) for each in citations if each["status"] == "read"}
    return f"✓ {plural(len(read), 'citation')} read" if read else None


def marked_text(answer: Answer) -> str:
    """The answer's text with places in brackets; one that does not hold is `[✗ a.py:3]`."""
    text, bad = answer["text"], failed(answer["citations"])
    places, paths = {where(each) for each in bad}, {each["target"] for each in bad}

    def show(mark: CitationMark) -> str:
        if mark.is_mention and mark.place not in places:
            return text[mark.start : mark.end]
        cross = "✗ " if mark.place in places else ""
        return f"{space_before(text, mark)}[{cross}{mark.place}]"

    return rewrite_citations(text, show, paths.__contains__)
