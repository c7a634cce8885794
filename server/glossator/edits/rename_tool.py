"""Rename: a symbol gets another name wherever it is used, as a language server says.

The server is asked before the user is, who sees the whole change. Its edits are of its own copy of
the texts: one that does not fit ours is refused, and nothing is changed. Without a server nothing
is renamed: a name alone does not tell what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, ClassVar, Self

from pydantic import Field, PrivateAttr

from glossator.core.code import CodeAnswer, CodeEdit, CodeKind, CodeServers
from glossator.core.document import Document, Missing
from glossator.core.edit import Applied, Conflict, EditPlan, FileEdit, Refused
from glossator.core.errors import InvalidPosition, UsageError
from glossator.core.line_diff import Replacement, changed_blocks, lines_with_ends, unified_diff
from glossator.core.notebook import is_notebook
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.shown import shown
from glossator.core.span import Span, spans_of
from glossator.core.text import Position
from glossator.core.tool_result import Budget, ToolResult, counted, cut
from glossator.core.uri import to_path
from glossator.edits.edit_report import in_conflict, line_ranges, lines_around, sentences
from glossator.edits.edit_target import edits_of
from glossator.edits.left_names import Region, left_names
from glossator.symbols import (
    Name,
    NamePlace,
    SearchScope,
    SymbolFinder,
    place_at,
    place_of,
    unquoted,
)
from glossator.tools import (
    ReadState,
    ToolArgs,
    ToolContext,
    carried_lines,
    findings_now,
    in_thread,
    new_findings,
    visible,
)
from glossator.workspace import WorkspaceSnapshot

SECONDS = 30.0  # that the edits are waited for
_MAX_FILES = 1_000  # permission rules judge each, and undo keeps each
_MAX_BYTES = 8_000  # of a result
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[#@$]?[^\W\d][\w$]*[!?]?")
_FILES = "files"  # the absolute paths, beside the arguments that hooks are given
_STALE = "the language server has not read the newest text yet."
_MORE = "what the language server would change in {} is not the name alone, or of an older text."
_AGAIN = "Call it again in a moment, or look the uses up with Symbols, and edit them."
_BY_HAND = "Look the uses up with Symbols, and edit them."


class RenameArgs(ToolArgs):
    """Arguments of Rename."""

    name: str = Field(description="Such as `Parser.parse`.")
    new_name: str = Field(min_length=1, description="Unqualified.")
    path: str | None = None
    line: int | None = Field(None, ge=1, description="Of the file `path`, where the name stands.")

    _plan: EditPlan | None = PrivateAttr(None)
    _left: tuple[str, ...] = PrivateAttr(())

    def paths(self) -> tuple[str, ...]:
        """The file where it stands, if one is named."""
        return () if self.path is None else (self.path,)

    async def prepared(self, context: ToolContext) -> Self:
        """With the edits. Raises `UsageError` if there are none."""
        ready = self.model_copy()
        planned = await _planned(self, context)
        ready._plan, ready._left = planned  # noqa: SLF001 - of the same class
        return ready

    @property
    def left(self) -> tuple[str, ...]:
        """Where the name still stands, in lines of text."""
        return self._left

    def reached(self, snapshot: WorkspaceSnapshot) -> tuple[str, ...]:
        """Every file that would be changed."""
        if self._plan is None:
            return super().reached(snapshot)
        return tuple(change.path for change in self._plan.files)

    def of_tool(self) -> dict[str, Any]:
        """The arguments, and the files that would be changed, for hooks."""
        files = [] if self._plan is None else [change.path for change in self._plan.files]
        return {**super().of_tool(), _FILES: files}

    def with_of_tool(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments without the files."""
        return {name: value for name, value in arguments.items() if name != _FILES}

    def asked_to(self) -> str:
        """The names, and how many files."""
        files = "" if self._plan is None else f" in {counted(len(self._plan.files), 'files')}"
        return f"Rename {self.name} to {self.new_name}{files}"

    def preview(self, context: ToolContext) -> str:
        """The change as one diff."""
        return "".join(_diff(edit, context.snapshot) for edit in _edits(self._plan))

    def planned(self, _context: ToolContext) -> EditPlan | None:
        """The change, which is made as one."""
        return self._plan


class Rename:
    """Renames a symbol by a language server, in one edit."""

    name: ClassVar[str] = "Rename"
    access: ClassVar[Access] = Access.WRITE
    args: ClassVar[type[ToolArgs]] = RenameArgs
    description = load_prompt("tools/rename").render()

    async def run(self, args: RenameArgs, context: ToolContext) -> ToolResult:
        """Make the edits that were planned and allowed."""
        plan = args.planned(context)
        if plan is None:
            raise TypeError("a rename is prepared before it runs")
        found = await findings_now(context, [edit.uri for edit in _edits(plan)])
        outcome = await edits_of(context).apply(plan)
        if isinstance(outcome, Refused):
            return ToolResult.failed(outcome.reason)
        if isinstance(outcome, Conflict):
            return in_conflict(context.snapshot.relative(outcome.document.path), outcome)
        result = await in_thread(_renamed, args, plan, outcome, context.snapshot)
        known = await in_thread(_known, plan, outcome, context.reads)
        for edit, document, lines in known:
            context.reads.became(document, lines, was=edit.base)
        new = await new_findings(context, found, outcome.documents)
        return replace(result, text=f"{result.text}\n{new}") if new else result


async def _planned(args: RenameArgs, context: ToolContext) -> tuple[EditPlan, tuple[str, ...]]:
    """The edits, and where the name still stands, in lines of text."""
    edits_of(context)
    if not _NAME.fullmatch(args.new_name):
        raise _refusal(f"{shown(args.new_name)} is no name.", "Give one word, unqualified.")
    servers = context.find(CodeServers)
    if servers is None or not servers.are_there:
        raise _refusal("no language server is there.")
    place = await _place(args, context)
    if is_notebook(place.document.path):
        raise _refusal("names in notebooks are not renamed.")
    await _check_free(args, place, context)
    answer = await servers.ask(place.question(CodeKind.RENAME, args.new_name), SECONDS)
    if isinstance(answer, str):
        why = unquoted(answer, context.hidden) or "no language server is there for it"
        raise _refusal(f"{why}.")
    if answer.refused:
        said = f" and says: {shown(answer.refused)}" if context.hidden is None else "."
        raise _refusal(f"{answer.by} refuses it{said}")
    if answer.files_too:
        raise _refusal(f"{answer.by} would move or create files, too.", f"Use Move. {_BY_HAND}")
    plan = await in_thread(_plan, args, place, answer, context)
    renamed = {edit.path: (edit, _regions(edit)) for edit in _edits(plan)}
    return plan, await left_names(context, place.name, renamed)


async def _place(args: RenameArgs, context: ToolContext) -> NamePlace:
    """Where the name stands: on its line, else where it is defined, below `path` if one is given.

    Raises `UsageError`.
    """
    name, snapshot = Name.parse(args.name), context.snapshot
    if args.line is not None:
        if args.path is None:
            raise _refusal("a line is of a file.", "Give path, too, or leave line out.")
        return await place_at(context, args.path, args.line, name)
    within = snapshot.resolve(args.path) if args.path is not None else None
    if isinstance(within, Missing):
        raise UsageError(f"Nothing was renamed: {within.model_message}")
    scope = SearchScope(within=within, hides=context.hidden)
    place = await place_of(context.need(SymbolFinder), snapshot, name, scope)
    if isinstance(place, str):
        raise _refusal(f"{place}.", "Give path and line of the name, or look for it with Symbols.")
    return place


async def _check_free(args: RenameArgs, place: NamePlace, context: ToolContext) -> None:
    """Raises `UsageError` if the new name is another symbol's, where this one is defined."""
    path, finder = place.document.path, context.need(SymbolFinder)
    scope = SearchScope(within=path, hides=context.hidden)
    own, taken = [
        (await finder.definitions(context.snapshot, Name.parse(name), scope)).hits
        for name in (place.name, args.new_name)
    ]
    containers = {each.symbol.container for each in own if each.line.number == place.line}
    for each in taken:
        if each.symbol.container in containers:
            where = shown(".".join(each.symbol.container) or context.snapshot.relative(path))
            raise _refusal(f"{where} has {args.new_name} already.", "Choose another name.")


def _plan(args: RenameArgs, place: NamePlace, answer: CodeAnswer, context: ToolContext) -> EditPlan:
    """The edits as a plan. Raises `UsageError` for one that is more than the name, or not ours."""
    paths = {each.uri: to_path(each.uri) or each.uri for each in answer.edits}
    if not paths:
        raise _refusal(f"{answer.by} found nothing to rename.")
    if len(paths) > _MAX_FILES:
        raise _refusal(f"it would change {len(paths):,} files, of at most {_MAX_FILES:,}.")
    documents: dict[str, Document] = {}
    changes: dict[str, list[CodeEdit]] = {}  # two names may lead to one file
    for uri, path in paths.items():
        found = visible(context.snapshot, path, context.hidden)
        if isinstance(found, str) or is_notebook(found.path):
            why = found if isinstance(found, str) else f"{shown(path)} is a notebook."
            raise _refusal(f"it would change a file that cannot be changed here. {why}")
        documents[found.path] = found
        changes.setdefault(found.path, []).extend(e for e in answer.edits if e.uri == uri)
    edits = []
    for path in sorted(documents):
        document = documents[path]
        replacements = _replacements(document, changes[path], answer)
        edit = FileEdit(document.uri, path, document, replacements)
        if not _is_renamed(edit, place.name, args.new_name):
            where = shown(context.snapshot.relative(path))
            raise _refusal(_MORE.format(where), _AGAIN)
        edits.append(edit)
    return EditPlan.of(f"Rename {args.name} to {args.new_name}", *edits, as_one=True)


def _replacements(
    document: Document, changes: Iterable[CodeEdit], answer: CodeAnswer
) -> tuple[Replacement, ...]:
    """The edits in offsets, in order. Raises `UsageError` if they do not fit the text."""
    table, encoding = document.table, answer.encoding
    try:
        placed = dict.fromkeys(
            Replacement(
                table.offset(Position(each.line, each.character), encoding),
                table.offset(Position(each.end_line, each.end_character), encoding),
                each.text,
            )
            for each in changes
        )
        ordered = tuple(sorted(placed, key=lambda each: (each.start, each.end)))
        FileEdit(document.uri, document.path, document, ordered)
    except (InvalidPosition, ValueError) as error:
        raise _refusal(_STALE, _AGAIN) from error
    return ordered


def _is_renamed(edit: FileEdit, old: str, new: str) -> bool:
    """Whether nothing changes but the name: what a server sends is not written unseen.

    Where one name stands for two (`{swim}`, `import swim`), the other may be added.
    """
    return all(
        _renamed_in(edit.before[each.first : each.last], old, new).fullmatch(each.after)
        for each in _regions(edit)
    )


def _regions(edit: FileEdit) -> list[Region]:
    """The whole words that replacements are in."""
    base = edit.before
    found: list[tuple[int, int, int]] = []  # from and to in the base, and how they grow
    for each in edit.replacements:
        first, last = each.start, each.end
        growth = len(each.text) - (last - first)
        while first > 0 and _WORD.match(base[first - 1]):
            first -= 1
        while last < len(base) and _WORD.match(base[last]):
            last += 1
        if found and first <= found[-1][1]:
            before = found.pop()
            first, last, growth = before[0], max(last, before[1]), growth + before[2]
        found.append((first, last, growth))
    regions: list[Region] = []
    moved = 0
    for first, last, growth in found:
        now = first + moved
        moved += growth
        regions.append(Region(first, last, edit.result[now : last + moved], now))
    return regions


def _renamed_in(before: str, old: str, new: str) -> re.Pattern[str]:
    """What a text may become when the words `old` in it become `new`."""
    a, b = re.escape(old), re.escape(new)
    between = r"(?:\s*[:=]\s*|\s+as\s+)"
    ways = f"(?:{a}|{b}|{a}{between}{b}|{b}{between}{a})"
    parts = re.split(rf"(?<!\w){a}(?!\w)", before)
    return re.compile(ways.join(map(re.escape, parts)))


def _edits(plan: EditPlan | None) -> Sequence[FileEdit]:
    changes = () if plan is None else plan.files
    return [change for change in changes if isinstance(change, FileEdit)]


def _diff(edit: FileEdit, snapshot: WorkspaceSnapshot) -> str:
    name = snapshot.relative(edit.path)
    return unified_diff(edit.before, edit.result, name, name)


def _renamed(
    args: RenameArgs, plan: EditPlan, outcome: Applied, snapshot: WorkspaceSnapshot
) -> ToolResult:
    """Where the name is another now; these lines may be cited."""
    after = {document.path: document for document in outcome.documents}
    lines: list[str] = []
    citable: list[Span] = []
    places = 0
    for edit in _edits(plan):
        document = after.get(edit.path)
        if document is None:
            continue
        blocks = changed_blocks(lines_with_ends(edit.before), lines_with_ends(document.text))
        numbers = lines_around(blocks, document, 0)
        if numbers:
            places += len(numbers)
            lines.append(f"{snapshot.relative(edit.path)}: {line_ranges(numbers)}")
            citable += spans_of(document, numbers)
    kept, omitted = cut(lines, Budget(bytes=_MAX_BYTES))
    where = f"{counted(places, 'lines')} of {counted(len(lines), 'files')}"
    said = [sentences(f"Renamed {args.name} to {args.new_name} on {where}.", outcome.note), *kept]
    if omitted:
        said.append(f"[{omitted:,} more files]")
    said += args.left
    return ToolResult("\n".join(said), omitted=omitted, outcome=where, citable=tuple(citable))


def _known(
    plan: EditPlan, outcome: Applied, reads: ReadState
) -> list[tuple[FileEdit, Document, AbstractSet[int]]]:
    """The lines that the model knows of each file that was changed: those that it was shown before.

    It knows what became of them, as it gave the name; but not if something else was changed, too.
    """
    after = {document.path: document for document in outcome.documents}
    known: list[tuple[FileEdit, Document, AbstractSet[int]]] = []
    for edit in _edits(plan):
        now, was = after.get(edit.path), edit.base
        if now is None or was is None:
            continue
        base = reads.base(was.path, was)
        lines: AbstractSet[int] = reads.lines(was) | (base.lines if base else frozenset())
        if now.text != edit.result or len(now.lines) != len(was.lines):
            lines = carried_lines(lines, was, now, by_model=False)
        known.append((edit, now, lines))
    return known


def _refusal(why: str, to_do: str = _BY_HAND) -> UsageError:
    return UsageError(f"Nothing was renamed: {why}\n{to_do}")
