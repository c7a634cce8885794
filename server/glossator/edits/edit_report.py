"""Results of edits: made, in conflict with a change by others, or refused for lines not shown.

Each result shows the current lines, so that the next edit can replace them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from glossator.core.document import Document
from glossator.core.edit import Conflict
from glossator.core.line_diff import Block, changed_blocks, lines_with_ends
from glossator.core.notebook import NotebookError, is_notebook, notebook_lines
from glossator.core.span import runs, spans_of, whole_and_cut
from glossator.core.tool_result import ToolResult, shorten

MAX_LINE_CHARACTERS = 2_000  # of a line to edit: as in Read
MORE_CHANGED = "The user or the editor made other changes at the same time."

CONTEXT_LINES = 3
_LINES_SHOWN = 60  # shown of a file
_LINE_CHARACTERS = 500  # of a changed file
_RANGES_LISTED = 8
_OTHERS_CHANGED = (
    "Other lines changed since you read the file; they were kept, and the edit was made where its"
    " lines are now."
)


def changed(
    relative: str,
    known: Document,
    current: Document,
    after: Document,
    note: str,
    context: int = CONTEXT_LINES,
) -> ToolResult:
    """An edit that turned `current` into `after`, for a model that knew the text `known`.

    It shows how `after` differs from `known`, with `context` lines around each change.
    """
    blocks = changed_blocks(lines_with_ends(current.text), lines_with_ends(after.text))
    is_moved = known.sha256 != current.sha256
    note = sentences(_OTHERS_CHANGED if is_moved else "", note)
    if not blocks:
        return ToolResult(sentences(f"{relative} was not changed.", note))
    removed = sum(block.old_end - block.old_start for block in blocks)
    added = sum(block.new_end - block.new_start for block in blocks)
    places = "1 place" if len(blocks) == 1 else f"{len(blocks):,} places"
    head = f"Changed {relative} in {places} (+{added:,} -{removed:,} lines)."
    if is_moved:
        blocks = changed_blocks(lines_with_ends(known.text), lines_with_ends(after.text))
    numbers = lines_around(blocks, after, context)
    if is_notebook(after.path):
        numbers, text = _of_cells(after, numbers)
    else:
        text = numbered_lines(after, numbers[:_LINES_SHOWN], _LINE_CHARACTERS)
    whole, cut = whole_and_cut(after, numbers[:_LINES_SHOWN], _LINE_CHARACTERS)
    left_out = max(len(numbers) - _LINES_SHOWN, 0)
    around = "around the changes " if context else "that changed "
    more = f"\n[{left_out:,} more lines {around}are not shown]" if left_out else ""
    return ToolResult(
        f"{sentences(head, note)}\n{text}{more}",
        whole,
        omitted=left_out,
        outcome=f"{places}, +{added:,} -{removed:,} lines",
        citable=cut,
    )


def _of_cells(after: Document, numbers: Sequence[int]) -> tuple[list[int], str]:
    """Those of the lines that Read shows of a notebook, and the first of them as it does."""
    wanted = set(numbers)
    try:
        lines = [each for each in notebook_lines(after.text) if each[0] in wanted]
    except NotebookError:
        return list(numbers), numbered_lines(after, numbers[:_LINES_SHOWN], _LINE_CHARACTERS)
    kept = sorted({number for number, _ in lines})
    first = set(kept[:_LINES_SHOWN])
    shown = ((number, text) for number, text in lines if number in first)
    texts = (f"{number}\t{shorten(text, _LINE_CHARACTERS)}" for number, text in shown)
    return kept, "\n".join(islice(texts, _LINES_SHOWN * 2))


def in_conflict(relative: str, conflict: Conflict) -> ToolResult:
    """An edit of lines that others changed."""
    now = conflict.document
    last_line = min(conflict.last_line, conflict.first_line + _LINES_SHOWN - 1, len(now.lines))
    numbers = range(conflict.first_line, last_line + 1)
    text = numbered_lines(now, numbers, MAX_LINE_CHARACTERS)
    return ToolResult(
        f"Nothing was changed: what the edit replaces in {relative} was changed after it was read."
        f"\nThat place now reads:\n{text or '[nothing: the file is empty]'}\n"
        + sentences("Make the edit again for this text, if it is still wanted.", conflict.note),
        spans_of(now, numbers),
        error=True,
    )


def not_shown(why: str, current: Document, unseen: Sequence[int], *, hidden: bool) -> ToolResult:
    """An edit of lines that were not shown; shows them now, unless there are too many."""
    numbers = lines_around((Block(line - 1, line, line - 1, line) for line in unseen), current)
    if hidden or len(numbers) > _LINES_SHOWN:
        step = f"Read lines {line_ranges(unseen)} first, then make the edit again."
        return ToolResult.failed(f"Nothing was changed: {why}\n{step}")
    text = numbered_lines(current, numbers, MAX_LINE_CHARACTERS)
    return ToolResult(
        f"Nothing was changed: {why}\nHere they are:\n{text}\nMake the edit again if it fits"
        " these lines.",
        spans_of(current, numbers),
        error=True,
    )


def line_ranges(lines: Iterable[int]) -> str:
    """Ascending lines as ranges, such as "1-3, 7"."""
    places = [f"{first}-{last}" if first < last else f"{first}" for first, last in runs(lines)]
    return ", ".join(places[:_RANGES_LISTED]) + ", …" * (len(places) > _RANGES_LISTED)


def numbered_lines(document: Document, numbers: Iterable[int], characters: int) -> str:
    """Lines of a document as Read shows them, with "…" for gaps."""
    stretches = (
        "\n".join(
            f"{number}\t{shorten(document.lines[number - 1], characters)}"
            for number in range(first, last + 1)
        )
        for first, last in runs(numbers)
    )
    return "\n…\n".join(stretches)


def lines_around(
    blocks: Iterable[Block], document: Document, context: int = CONTEXT_LINES
) -> list[int]:
    """The new lines of `blocks` in `document`, with `context` lines around them; ascending."""
    numbers: set[int] = set()
    for block in blocks:
        first = max(block.new_start + 1 - context, 1)
        numbers.update(range(first, min(block.new_end + context, len(document.lines)) + 1))
    return sorted(numbers)


def sentences(*parts: str) -> str:
    """The sentences that are not empty, in one line."""
    return " ".join(filter(None, parts))
