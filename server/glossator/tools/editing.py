"""What the editing tools have in common: which text an edit is about, applying it, the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.edit import Applied, Conflict, Editing, EditPlan, FileEdit, Refused
from glossator.core.encoding import encode_edited
from glossator.core.errors import UsageError
from glossator.core.images import is_image
from glossator.core.line_diff import Block, changed_blocks, lines_with_ends, unified_diff
from glossator.core.replacement import Replacement, apply_replacements
from glossator.core.shown import shown
from glossator.core.span import Span, runs
from glossator.core.tool_result import ToolResult, shorten
from glossator.core.uri import to_uri
from glossator.tools.base import Cancelled, ToolContext, in_thread
from glossator.tools.reads import carried
from glossator.workspace.editing.merge import rebase

_CONTEXT_LINES = 3
_MAX_LINES = 60  # shown of a changed file
_LINE_CHARACTERS = 500
_MOVED = (
    "Other lines changed since you read the file; they were kept, and the edit was made where its"
    " lines are now."
)
_MORE_CHANGED = "The user or the editor changed more at the same time than you asked for."

Change = Callable[[str], Sequence[Replacement]]


@dataclass(frozen=True, slots=True)
class Target:
    """A document to edit: as the model knows it, if it does, and as it is, if it is there."""

    path: str
    relative: str
    known: Document | None
    current: Document | None


@dataclass(frozen=True, slots=True)
class _Done:
    """An edit that was applied: the text the model had read, the one before it, the one after.

    `as_asked` is false when the user or the editor changed something else at the same time.
    """

    known: Document
    current: Document
    after: Document
    as_asked: bool
    note: str


async def find_target(context: ToolContext, path: str) -> Target:
    """What `path` (as the model gives it) means. Raises `UsageError` for what cannot be edited."""
    target = await in_thread(_find, context, path)
    if target.current is None and target.known is not None:
        context.reads.forget(target.path)
        raise UsageError(
            f"Nothing was changed: {target.relative} was deleted or renamed after it was read.\nUse"
            " Glob to find it; if a new file is wanted in its place, call Write again."
        )
    return target


async def edit_known(context: ToolContext, path: str, change: Change) -> ToolResult:
    """Apply to a document what `change` makes of the text that the model has read.

    `change` runs in a thread and raises `UsageError` when it cannot be done.
    """
    target = await find_target(context, path)
    if target.current is None:
        raise UsageError(
            f"Nothing was changed: {target.relative} does not exist.\nUse Glob to find its path, or"
            " Write to create it."
        )
    if target.known is None:
        raise UsageError(
            f"Nothing was changed: {target.relative} was not read in this conversation.\nRead it"
            " first, then make the edit again."
        )
    return await _carry_out(context, target, target.known, target.current, change)


def preview(context: ToolContext, path: str, change: Change) -> str:
    """The diff of what `edit_known` would change as things are; for a thread.

    It is empty where nothing would be changed, and where the lines are too long to be looked at.
    """
    try:
        target = _find(Cancelled(), context, path)
        if target.known is None or target.current is None:
            return ""
        moved = _prepare(Cancelled(), target, target.known, target.current, change)
    except UsageError:  # the call will say so, and what to do
        return ""
    if isinstance(moved, Conflict):
        return ""
    after = apply_replacements(target.current.text, moved)
    diff = unified_diff(target.current.text, after, target.relative, target.relative)
    return diff if max(map(len, diff.splitlines()), default=0) <= _LINE_CHARACTERS else ""


async def create(context: ToolContext, target: Target, content: str) -> ToolResult:
    """Make a new file."""
    encode_edited(target.relative, "", content, "utf-8")
    uri = to_uri(target.path)
    edit = FileEdit(uri, target.path, None, (Replacement(0, 0, content),))
    outcome = await edits_of(context).apply(EditPlan.of(f"Create {target.relative}", edit))
    if not isinstance(outcome, Applied):
        return await _not_applied(context, target, outcome)
    after = _document_of(outcome, target.path)
    if after is None:
        return ToolResult(_sentences(f"{target.relative} was not created.", outcome.note))
    context.reads.saw(after)
    as_asked = after.text == content
    whole = Span(after.uri, after.sha256, 1, len(after.lines))
    head = f"Created {target.relative} with {len(after.lines):,} lines."
    text = _sentences(head, outcome.note or ("" if as_asked else _MORE_CHANGED))
    return ToolResult(text, (whole,) if as_asked and after.lines else ())


def edits_of(context: ToolContext) -> Editing:
    """Who applies plans. Raises `UsageError` where files can only be read."""
    if context.edits is None:
        raise UsageError("Nothing was changed: files can only be read here.\nDescribe the change.")
    return context.edits


def numbered(document: Document, numbers: Sequence[int]) -> tuple[str, tuple[Span, ...]]:
    """Lines of a document as Read shows them, a line of dots where some are left out."""
    spans = tuple(Span(document.uri, document.sha256, first, last) for first, last in runs(numbers))
    stretches = (
        "\n".join(
            f"{number}\t{shorten(document.lines[number - 1], _LINE_CHARACTERS)}"
            for number in range(span.first_line, span.last_line + 1)
        )
        for span in spans
    )
    return "\n…\n".join(stretches), spans


def _find(_cancelled: Cancelled, context: ToolContext, path: str) -> Target:
    _refuse_kind(path)
    found = context.snapshot.read(path)
    real = found.path if isinstance(found, Document) else context.snapshot.resolve(path)
    if isinstance(real, Missing):
        raise UsageError(f"Nothing was changed: {real.told}")
    _refuse_kind(real)
    current = found if isinstance(found, Document) else None
    if isinstance(found, Missing) and found.reason is not MissingReason.ABSENT:
        raise UsageError(f"Nothing was changed: {found.told}")
    return Target(real, context.snapshot.relative(real), context.reads.last(real), current)


async def _carry_out(
    context: ToolContext, target: Target, known: Document, current: Document, change: Change
) -> ToolResult:
    editing = edits_of(context)
    replacements = await in_thread(_prepare, target, known, current, change)
    if isinstance(replacements, Conflict):
        return await _not_applied(context, target, replacements)
    edit = FileEdit(current.uri, current.path, current, replacements)
    outcome = await editing.apply(EditPlan.of(f"Edit {target.relative}", edit))
    if not isinstance(outcome, Applied):
        return await _not_applied(context, target, outcome)
    after = _document_of(outcome, target.path)
    if after is None:
        return ToolResult(_sentences(f"{target.relative} was not changed.", outcome.note))
    done = _Done(known, current, after, after.text == edit.result, outcome.note)
    result, lines = await in_thread(_report, context, target, done)
    context.reads.became(after, lines)
    return result


def _prepare(
    _cancelled: Cancelled, target: Target, known: Document, current: Document, change: Change
) -> tuple[Replacement, ...] | Conflict:
    """The replacements for the text of now."""
    try:
        wanted = change(known.text)
    except UsageError as error:
        step = ""
        if known.sha256 != current.sha256:
            step = "\nThe file has changed since you read it; read it again first."
        raise UsageError(f"Nothing was changed in {target.relative}: {error}{step}") from error
    if not wanted:
        raise UsageError(f"Nothing was changed: {target.relative} has this text already.")
    moved = rebase(known.text, wanted, current)
    if not isinstance(moved, Conflict):
        edit = FileEdit(current.uri, current.path, current, moved)
        encode_edited(target.relative, current.text, edit.result, current.encoding)
    return moved


def _report(
    _cancelled: Cancelled, context: ToolContext, target: Target, done: _Done
) -> tuple[ToolResult, set[int]]:
    """What changed, with a few lines around it, and which lines the model knows now."""
    known, current, after = done.known, done.current, done.after
    lines = carried(context.reads.lines(known), known, current, by_model=False)
    lines |= context.reads.lines(current)
    lines = carried(lines, current, after, by_model=done.as_asked)
    blocks = changed_blocks(lines_with_ends(current.text), lines_with_ends(after.text))
    moved = _MOVED if known.sha256 != current.sha256 else ""
    note = _sentences(moved, done.note or ("" if done.as_asked else _MORE_CHANGED))
    if not blocks:
        return ToolResult(_sentences(f"{target.relative} was not changed.", note)), lines
    removed = sum(block.old_end - block.old_start for block in blocks)
    added = sum(block.new_end - block.new_start for block in blocks)
    places = "1 place" if len(blocks) == 1 else f"{len(blocks):,} places"
    head = f"Changed {target.relative} in {places} (+{added:,} -{removed:,} lines)."
    numbers = sorted(set(_around(blocks, len(after.lines))))
    text, spans = numbered(after, numbers[:_MAX_LINES])
    left_out = max(len(numbers) - _MAX_LINES, 0)
    more = f"\n[{left_out:,} more lines around the changes are not shown]" if left_out else ""
    text = f"{_sentences(head, note)}\n{text}{more}"
    outcome = f"{places}, +{added:,} -{removed:,} lines"
    return ToolResult(text, spans, omitted=left_out, outcome=outcome), lines


def _around(blocks: Sequence[Block], total: int) -> Iterator[int]:
    for block in blocks:
        first = max(block.new_start + 1 - _CONTEXT_LINES, 1)
        yield from range(first, min(block.new_end + _CONTEXT_LINES, total) + 1)


async def _not_applied(
    context: ToolContext, target: Target, outcome: Refused | Conflict
) -> ToolResult:
    if isinstance(outcome, Refused):
        return ToolResult.failed(outcome.reason)
    result, lines = await in_thread(_report_conflict, context, target, outcome)
    context.reads.became(outcome.document, lines)
    return result


def _report_conflict(
    _cancelled: Cancelled, context: ToolContext, target: Target, conflict: Conflict
) -> tuple[ToolResult, set[int]]:
    """The lines of now, and which lines of the text of now the model knows."""
    known, now = target.known, conflict.document
    lines: set[int] = set()
    if known is not None:
        lines = carried(context.reads.lines(known), known, now, by_model=False)
    last_line = min(conflict.last_line, conflict.first_line + _MAX_LINES - 1, len(now.lines))
    text, spans = numbered(now, range(conflict.first_line, last_line + 1))
    result = ToolResult(
        f"Nothing was changed: what the edit replaces in {target.relative} was changed after it"
        f" was read.\nIn that place there is now:\n{text or '[nothing: the file is empty]'}\n"
        + _sentences("Make the edit again for this text, if it is still wanted.", conflict.note),
        spans,
        error=True,
    )
    return result, lines


def _document_of(outcome: Applied, path: str) -> Document | None:
    return next((each for each in outcome.documents if each.path == path), None)


def _refuse_kind(path: str) -> None:
    if path.lower().endswith(".ipynb"):
        raise UsageError(
            f"Nothing was changed: {shown(path)} is a notebook, whose cells cannot be edited as"
            " text.\nTell the user which cell to change, and how."
        )
    if is_image(path):
        raise UsageError(
            f"Nothing was changed: {shown(path)} is an image; only text files can be edited."
        )


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)
