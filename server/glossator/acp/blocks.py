"""What a client shows inside a call: texts, code, and edits as diffs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from acp import schema

from glossator.core.edit import (
    EditPlan,
    FileDeletion,
    FileEdit,
    FileRename,
    HunkKind,
    HunkView,
    PlanView,
)
from glossator.core.line_diff import Replacement, apply_replacements
from glossator.core.shown import shown_prose, shown_text
from glossator.core.text import LineTable

Block = Any  # one of the union of `schema.ToolCallStart.content`

_SHOWN_CHARACTERS = 20_000  # of a tool's output, the last ones
_DIFF_CHARACTERS = 500_000  # of a text that is shown as a diff


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
    fence = "```"
    while fence in text:
        fence += "`"
    shown = f"{fence}\n{shown_text(text).rstrip()}\n{fence}"
    return schema.ContentToolCallContent(type="content", content=text_block(shown))


def diffs(plan: EditPlan) -> list[Block]:
    """The files of a plan as diffs; a move as a sentence."""
    found: list[Block] = []
    for change in plan.files:
        match change:
            case FileRename():
                found.append(_move(change.path, change.new_path))
            case FileDeletion():
                found.append(_diff(change.path, change.base.text, ""))
            case FileEdit() if len(change.result) > _DIFF_CHARACTERS:
                found += [_diff(change.path, hunk.before, hunk.after) for hunk in change.hunks]
            case FileEdit():
                found.append(_diff(change.path, change.before, change.result))
    return found


def previews(plan: PlanView, text_of: Callable[[str], str]) -> list[Block]:
    """The same for a plan that is asked about; `text_of` gives a file's text."""
    found: list[Block] = []
    for path, group in groupby(plan.hunks, key=lambda hunk: hunk.path):
        hunks = [*group]
        if hunks[0].kind is HunkKind.RENAME:
            found.append(_move(hunks[0].before.strip("\n"), hunks[0].after.strip("\n")))
            continue
        text = text_of(path) if hunks[0].kind is HunkKind.EDIT else None
        edited = None if text is None else _edited(text, hunks)
        if text is None or edited is None:
            found += [_diff(path, hunk.before, hunk.after) for hunk in hunks]
        else:
            found.append(_diff(path, text, edited))
    return found


def _edited(text: str, hunks: Sequence[HunkView]) -> str | None:
    """The text with its hunks; None if it is too long, or they are not of its lines."""
    if len(text) > _DIFF_CHARACTERS:
        return None
    starts = LineTable(text).starts
    changes: list[Replacement] = []
    for hunk in hunks:
        if hunk.first_line > len(starts):
            return None
        start = starts[hunk.first_line - 1]
        if not text.startswith(hunk.before, start):  # of a notebook they are of its cells
            return None
        changes.append(Replacement(start, start + len(hunk.before), hunk.after))
    return apply_replacements(text, changes)


def _move(path: str, new_path: str) -> Block:
    return prose(f"Move `{path}` to `{new_path}`.")


def _diff(path: str, before: str, after: str) -> Block:
    """Of a new file `before` is "": some clients show no diff without it."""
    return schema.FileEditToolCallContent(type="diff", path=path, old_text=before, new_text=after)
