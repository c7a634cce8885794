"""What a client shows inside a call: texts, code, and edits as diffs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from acp import schema

from glossator.core.edit import EditPlan, FileEdit, HunkKind, HunkView, PlanView, text_after
from glossator.core.notebook import is_notebook
from glossator.core.shown import shown, shown_prose, shown_text

Block = Any  # one of the union of `schema.ToolCallStart.content`

_SHOWN_CHARACTERS = 20_000  # of a tool's output, the last ones
_WHOLE_CHARACTERS = 1_000_000  # old and new ones, of the files that a message shows whole
_TICKS = re.compile("`+")


def text_block(text: str) -> schema.TextContentBlock:
    """A text as it is."""
    return schema.TextContentBlock(type="text", text=text)


def prose(text: str) -> Block:
    """Markdown."""
    return schema.ContentToolCallContent(type="content", content=text_block(shown_prose(text)))


def fenced(text: str) -> Block:
    """A text that is no Markdown, such as a command, in a block of code; its end if it is long."""
    over = len(text) - _SHOWN_CHARACTERS
    if over > 0:
        text = f"… {over:,} characters before this\n{text[over:]}"
    return schema.ContentToolCallContent(type="content", content=text_block(in_fences(text)))


def in_fences(text: str) -> str:
    """A text as a block of code in Markdown."""
    fence = _fence(text, 3)
    return f"{fence}\n{shown_text(text).rstrip()}\n{fence}"


def diffs(plan: EditPlan) -> list[Block]:
    """The files of a plan as diffs; a move as a sentence."""
    texts = {each.path: each.before for each in plan.files if isinstance(each, FileEdit)}
    return previews(PlanView.of(plan), lambda path: texts[path])


def previews(plan: PlanView, text_of: Callable[[str], str]) -> list[Block]:
    """The same for a plan that is asked about; `text_of` gives a file's text.

    The hunks alone are shown of a text that is another one by now, of a notebook (they are of its
    cells), and of a file that makes the message too long; such a deletion is a sentence.
    """
    found: list[Block] = []
    left = _WHOLE_CHARACTERS
    for path, group in groupby(plan.hunks, key=lambda hunk: hunk.path):
        hunks = [*group]
        if hunks[0].kind is HunkKind.RENAME:
            old, new = (_code(each.strip("\n")) for each in (hunks[0].before, hunks[0].after))
            found.append(prose(f"Move {old} to {new}."))
            continue
        parts = _whole(path, hunks, text_of) or [(hunk.before, hunk.after) for hunk in hunks]
        size = sum(len(before) + len(after) for before, after in parts)
        if size > left and hunks[0].kind is HunkKind.DELETE:
            found.append(prose(f"Delete {_code(path)}, {size:,} characters."))
            continue
        if size > left:
            parts = [(hunk.before, hunk.after) for hunk in hunks]
        left -= min(size, left)
        found += [_diff(path, before, after) for before, after in parts]
    return found


def _whole(
    path: str, hunks: Sequence[HunkView], text_of: Callable[[str], str]
) -> list[tuple[str, str]] | None:
    """The text of a file before and after its hunks; None if it is not shown whole."""
    if hunks[0].kind is not HunkKind.EDIT or is_notebook(path):
        return None
    text = text_of(path)
    edited = text_after(text, hunks)
    return None if edited is None else [(text, edited)]


def _code(path: str) -> str:
    """A path as code in Markdown."""
    path = shown(path)
    fence = _fence(path, 1)
    space = " " if "`" in path else ""
    return f"{fence}{space}{path}{space}{fence}"


def _fence(text: str, least: int) -> str:
    """Back-ticks that no text of these has so many of in a row."""
    return "`" * max([least, *(len(run) + 1 for run in _TICKS.findall(text))])


def _diff(path: str, before: str, after: str) -> Block:
    """Of a new file `before` is "": some clients show no diff without it."""
    return schema.FileEditToolCallContent(type="diff", path=path, old_text=before, new_text=after)
