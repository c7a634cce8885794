"""What editing tools share: which text an edit refers to, and applying it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.edit import Applied, Conflict, Editing, EditPlan, FileEdit, Refused
from glossator.core.encoding import encode_edited
from glossator.core.errors import UsageError
from glossator.core.images import is_image
from glossator.core.line_diff import Replacement, unified_diff
from glossator.core.notebook import cell_texts, is_notebook
from glossator.core.shown import shown
from glossator.core.span import Span
from glossator.core.tool_result import ToolResult, counted
from glossator.core.uri import to_uri
from glossator.edits.edit_report import (
    CONTEXT_LINES,
    MORE_CHANGED,
    changed,
    in_conflict,
    line_ranges,
    not_shown,
    sentences,
)
from glossator.edits.merge import rebase
from glossator.tools import (
    Base,
    ToolContext,
    carried_lines,
    findings_now,
    in_thread,
    new_findings,
)

_LINE_CHARACTERS = 500  # of a preview

Change = Callable[[str], Sequence[Replacement]]


@dataclass(frozen=True, slots=True)
class EditTarget:
    """A document to edit: the text that the model knows, and the current one; None if absent."""

    path: str
    relative: str
    base: Base | None
    current: Document | None


async def find_target(context: ToolContext, path: str, needs: Needs) -> EditTarget:
    """The target at `path`, as the model gives it. Raises `UsageError` if it cannot be edited."""
    target = await in_thread(_find, context, path, needs)
    if target.current is None and context.reads.last(target.path) is not None:
        context.reads.forget(target.path)
        raise UsageError(
            f"Nothing was changed: {target.relative} was deleted or renamed after it was read.\nUse"
            " Glob to find it; if a new file is wanted in its place, call Write again."
        )
    return target


class Needs(Enum):
    """Which lines the model must have been shown before an edit."""

    NONE = "none"  # it names texts that are there only once, so it cannot hit another place
    REPLACED = "those that it replaces"
    ALL = "all of the document"


async def edit_known(
    context: ToolContext, path: str, change: Change, needs: Needs = Needs.REPLACED
) -> ToolResult:
    """Apply `change` to the text that the model knows, and make the same edit in the current one.

    The model must have been shown the lines that the edit `needs`. `change` runs in a thread and
    raises `UsageError` if it is impossible.
    """
    target = await find_target(context, path, needs)
    if target.current is None:
        raise UsageError(
            f"Nothing was changed: {target.relative} does not exist.\nUse Glob to find its path, or"
            " Write to create it."
        )
    needs = _of_hidden(context, target.current, needs)
    return await _carry_out(context, target, target.current, change, needs)


def preview(context: ToolContext, path: str, change: Change, needs: Needs = Needs.REPLACED) -> str:
    """The diff of what `edit_known` would change now; blocking.

    It is empty if nothing would change, and if lines are too long to review. Raises `UsageError`
    for a file of a kind that cannot be edited: nobody is asked about that.
    """
    real = context.snapshot.resolve(path)
    _refuse_kind(path, real if isinstance(real, str) else path, needs)
    plan = planned(context, path, change, needs)
    if plan is None:
        return ""
    (edit,) = plan.files
    if not isinstance(edit, FileEdit):
        raise TypeError(f"an edit is planned as {edit}")
    name = context.snapshot.relative(edit.path)
    texts = cell_texts(edit.before, edit.result) if is_notebook(edit.path) else None
    diff = unified_diff(*(texts or (edit.before, edit.result)), name, name)
    return diff if max(map(len, diff.splitlines()), default=0) <= _LINE_CHARACTERS else ""


def planned(
    context: ToolContext, path: str, change: Change, needs: Needs = Needs.REPLACED
) -> EditPlan | None:
    """What `edit_known` would change now; None if nothing, or if the call will fail; blocking."""
    try:
        target = _find(context, path, needs)
        if target.current is None:
            return None
        needs = _of_hidden(context, target.current, needs)
        if target.base is None and needs is not Needs.NONE:
            return None
        moved = _moved(context, target, target.current, change, needs)
    except UsageError:  # the call reports it
        return None
    if isinstance(moved, Conflict):
        return None
    current = target.current
    edit = FileEdit(current.uri, current.path, current, moved)
    return EditPlan.of(f"Edit {target.relative}", edit)


def planned_file(context: ToolContext, path: str, content: str) -> EditPlan | None:
    """The file that `create` would create; None if there is one, or none can be; blocking."""
    try:
        target = _find(context, path, Needs.ALL)
    except UsageError:  # the call reports it
        return None
    if target.current is not None:
        return None
    return _creation(target, content, _new_in(context, target))


async def create(context: ToolContext, target: EditTarget, content: str) -> ToolResult:
    """Create a file."""
    encoding = _new_in(context, target)
    encode_edited(target.relative, "", content, encoding)
    outcome = await edits_of(context).apply(_creation(target, content, encoding))
    if not isinstance(outcome, Applied):
        return _not_applied(target, outcome)
    after = _document_of(outcome, target.path)
    if after is None:
        return ToolResult(sentences(f"{target.relative} was not created.", outcome.note))
    as_asked = after.text == content
    context.reads.became(after, range(1, len(after.lines) + 1) if as_asked else ())
    head = f"Created {target.relative} with {counted(len(after.lines), 'lines')}."
    return ToolResult(sentences(head, outcome.note or ("" if as_asked else MORE_CHANGED)))


def edits_of(context: ToolContext) -> Editing:
    """What applies plans. Raises `UsageError` if files can only be read."""
    if context.edits is None:
        raise UsageError("Nothing was changed: files can only be read here.\nDescribe the change.")
    return context.edits


def _new_in(context: ToolContext, target: EditTarget) -> str:
    """The encoding of a new file."""
    return context.snapshot.folders.encoding(target.path) or "utf-8"


def _creation(target: EditTarget, content: str, encoding: str) -> EditPlan:
    whole = (Replacement(0, 0, content),)
    edit = FileEdit(to_uri(target.path), target.path, None, whole, encoding)
    return EditPlan.of(f"Create {target.relative}", edit)


def _find(context: ToolContext, path: str, needs: Needs) -> EditTarget:
    _refuse_kind(path, path, needs)
    found = context.snapshot.read(path)
    real = found.path if isinstance(found, Document) else context.snapshot.resolve(path)
    if isinstance(real, Missing):
        raise UsageError(f"Nothing was changed: {real.model_message}")
    _refuse_kind(path, real, needs)
    current = found if isinstance(found, Document) else None
    if isinstance(found, Missing) and found.reason is not MissingReason.ABSENT:
        raise UsageError(f"Nothing was changed: {found.model_message}")
    base = None if current is None else context.reads.base(real, current)
    return EditTarget(real, context.snapshot.relative(real), base, current)


async def _carry_out(
    context: ToolContext, target: EditTarget, current: Document, change: Change, needs: Needs
) -> ToolResult:
    editing = edits_of(context)
    replacements = await in_thread(_decide, context, target, current, change, needs)
    if isinstance(replacements, ToolResult):
        return replacements
    if isinstance(replacements, Conflict):
        return _not_applied(target, replacements)
    edit = FileEdit(current.uri, current.path, current, replacements)
    found = await findings_now(context, (current.uri,))
    outcome = await editing.apply(EditPlan.of(f"Edit {target.relative}", edit))
    if not isinstance(outcome, Applied):
        return _not_applied(target, outcome)
    after = _document_of(outcome, target.path)
    if after is None:
        return ToolResult(sentences(f"{target.relative} was not changed.", outcome.note))
    as_asked = after.text == edit.result
    note = outcome.note or ("" if as_asked else MORE_CHANGED)
    known = current if target.base is None else target.base.known
    shown = context.reads.lines(current) | (target.base.lines if target.base else frozenset())

    def compare() -> tuple[set[int], ToolResult]:
        lines = carried_lines(shown, current, after, by_model=as_asked)
        around = 0 if needs is Needs.REPLACED else CONTEXT_LINES
        return lines, changed(target.relative, known, current, after, note, around)

    lines, result = await in_thread(compare)
    context.reads.became(after, lines, was=current)
    new = await new_findings(context, found, (after,))
    return replace(result, text=f"{result.text}\n{new}") if new else result


def _decide(
    context: ToolContext, target: EditTarget, current: Document, change: Change, needs: Needs
) -> tuple[Replacement, ...] | Conflict | ToolResult:
    """The replacements for the current text, or why they are not made."""
    moved = _moved(context, target, current, change, needs)
    if isinstance(moved, Conflict) or needs is Needs.NONE:
        return moved
    base = target.base
    whole = needs is Needs.ALL
    wanted = range(1, len(current.lines) + 1) if whole else _lines_of(current, moved)
    unseen = [line for line in wanted if base is None or line not in base.lines]
    if not unseen:
        return moved
    if base is None:
        why = _unread(context, target, current)
    elif whole:
        why = f"only part of {target.relative} was shown, and Write replaces all of it."
    else:
        lines = f"{'lines' if len(unseen) > 1 else 'line'} {line_ranges(unseen)}"
        were = "were" if len(unseen) > 1 else "was"
        why = f"{lines} of {target.relative} {were} not shown in this conversation."
    return not_shown(why, current, unseen, hidden=_is_hidden(context, current))


def _moved(
    context: ToolContext, target: EditTarget, current: Document, change: Change, needs: Needs
) -> tuple[Replacement, ...] | Conflict:
    """The replacements for the current text: of what the model knows, else of what is there now."""
    now = Base(current, frozenset(), current)
    if needs is Needs.NONE:
        if target.base is not None and target.base.document.sha256 != current.sha256:
            with suppress(UsageError):
                return _prepare(target, target.base, current, change)
        return _prepare(target, now, current, change)
    try:
        return _prepare(target, target.base or now, current, change)
    except UsageError:
        if target.base is not None:
            raise
        step = "Read it first, then make the edit again."  # the error may quote the file
        why = _unread(context, target, current)
        raise UsageError(f"Nothing was changed: {why}\n{step}") from None


def _unread(context: ToolContext, target: EditTarget, current: Document) -> str:
    is_outdated = context.reads.is_outdated(Span(current.uri, current.sha256, 1, 1))
    how = "has changed since lines of it were shown" if is_outdated else "was not read"
    return f"{target.relative} {how} in this conversation."


def _of_hidden(context: ToolContext, document: Document, needs: Needs) -> Needs:
    """Whether showing the edit's place, or the nearest one, would reveal what rules hide."""
    is_free = needs is Needs.NONE
    return Needs.REPLACED if is_free and _is_hidden(context, document) else needs


def _is_hidden(context: ToolContext, document: Document) -> bool:
    return context.hidden is not None and context.hidden(document.path)


def _prepare(
    target: EditTarget, base: Base, current: Document, change: Change
) -> tuple[Replacement, ...] | Conflict:
    """The replacements for the current text."""
    known = base.document
    try:
        wanted = change(known.text)
    except UsageError as error:
        step = ""
        if known.sha256 != current.sha256:
            step = "\nThe file has changed since you read it; read it again first."
        raise UsageError(f"Nothing was changed in {target.relative}: {error}{step}") from error
    if not wanted:
        raise UsageError(f"Nothing was changed: {target.relative} already has this text.")
    moved = rebase(known.text, wanted, current)
    if not isinstance(moved, Conflict):
        edit = FileEdit(current.uri, current.path, current, moved)
        encode_edited(target.relative, current.text, edit.result, current.encoding)
    return moved


def _lines_of(document: Document, replacements: Iterable[Replacement]) -> list[int]:
    """The lines that the replacements touch; ascending."""
    lines: dict[int, None] = {}
    for each in replacements:
        if each.start < each.end:
            first = document.table.position(each.start, "utf-32").line + 1
            last = document.table.position(each.end - 1, "utf-32").line + 1
            lines |= dict.fromkeys(range(first, last + 1))
    return list(lines)


def _not_applied(target: EditTarget, outcome: Refused | Conflict) -> ToolResult:
    if isinstance(outcome, Refused):
        return ToolResult.failed(outcome.reason)
    return in_conflict(target.relative, outcome)


def _document_of(outcome: Applied, path: str) -> Document | None:
    return next((each for each in outcome.documents if each.path == path), None)


def _refuse_kind(path: str, real: str, needs: Needs) -> None:
    """Raise `UsageError` for what is no text; `path` leads to the file `real`."""
    if needs is Needs.ALL and (is_notebook(path) or is_notebook(real)):
        raise UsageError(
            f"Nothing was changed: {shown(path)} is a notebook, which cannot be written whole.\n"
            "Use Edit or NotebookEdit, which change its cells, or tell the user."
        )
    if is_notebook(real) != is_notebook(path):
        raise UsageError(
            f"Nothing was changed: {shown(path)} is a notebook under another name.\nEdit it under"
            " the name that ends in .ipynb."
        )
    if is_image(path) or is_image(real):
        raise UsageError(
            f"Nothing was changed: {shown(path)} is an image; only text files can be edited."
        )
