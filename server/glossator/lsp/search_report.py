"""The hits of a search for editors without a panel: LSP's locations, and a document to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from glossator.core.citations import link, place
from glossator.core.shown import shown_prose, shown_text

if TYPE_CHECKING:
    from glossator.retrieval import SearchAnswer, SearchHit

_INDENT = " " * 8  # code, in an item of a list
# Vim obeys modelines in the last five lines, Emacs what follows the last form feed: neither may be
# lines of a file.
_APART = "\n" * 6 + "\f\n"


def hit_locations(answer: SearchAnswer) -> list[dict[str, Any]]:
    """For each hit, in their order, LSP's `Location` of the lines that tell most."""
    return [
        {
            "uri": hit.uri,
            "range": {
                "start": {"line": first - 1, "character": 0},
                "end": {"line": last, "character": 0},
            },
        }
        for hit in answer.hits
        for first, last in (_telling(hit),)
    ]


def search_to_markdown(query: str, answer: SearchAnswer) -> str:
    """The hits, the best first, with links to their lines; `gF` in Vim follows their paths."""
    title = f"# Search: {' '.join(query.split())}"
    hits = [_item(number, hit) for number, hit in enumerate(answer.hits, 1)]
    parts = [title, *(hits or ["Nothing was found."])]
    end = [answer.searched]
    if answer.absent:
        end.append(f"No file holds {', '.join(f'`{word}`' for word in answer.absent)}.")
    text = shown_prose("\n\n".join(parts))
    return f"{text}{_APART}{shown_prose(' '.join(end))}\n"


def _item(number: int, hit: SearchHit) -> str:
    where = place(hit.path, hit.first_line, hit.last_line)
    head = f"{number}. {link(where, f'{hit.uri}#L{_telling(hit)[0]}')}"
    if hit.context:
        head += f" `{hit.context.replace('`', ' ')}`"
    return "\n".join((head, "", *_lines(hit)))


def _lines(hit: SearchHit) -> Iterator[str]:
    """The lines that tell most, with their numbers, and a mark where some are left out."""
    lines = hit.text.split("\n")
    numbers = hit.lines or (hit.first_line,)
    width = len(str(numbers[-1]))
    before = numbers[0] - 1
    for number in numbers:
        if number > before + 1:
            yield f"{_INDENT}{'⋯':>{width}}"
        before = number
        yield f"{_INDENT}{number:>{width}}  {shown_text(lines[number - hit.first_line])}".rstrip()


def _telling(hit: SearchHit) -> tuple[int, int]:
    """The first and the last line to look at: a hit may begin far from what tells most."""
    return (hit.lines[0], hit.lines[-1]) if hit.lines else (hit.first_line, hit.last_line)
