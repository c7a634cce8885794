"""Search: the chunks that answer a question best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.span import FoundPlace, Span, whole_and_cut
from glossator.core.tokens import BYTES_PER_TOKEN
from glossator.core.tool_result import ToolResult, counted, shorten
from glossator.retrieval.answers import SearchAnswer, SearchHit, SearchReason, StagePlace
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.requests import ALL_STAGES, Stages
from glossator.retrieval.chunks.words import QuestionWords, best_lines, question_of, terms_of
from glossator.retrieval.retriever import Found, Hit, Rerank, Retriever
from glossator.retrieval.worth_showing import is_worth_showing
from glossator.tools import (
    IsHidden,
    ReadRange,
    ReadState,
    Selection,
    ToolArgs,
    ToolContext,
    account,
    in_thread,
    select,
)
from glossator.workspace import WorkspaceSnapshot

MAX_CHUNKS = 20
WHOLE_CHUNKS = 3  # chunks with their text; of the others the lines that tell most
MAX_QUERY = 2_000  # characters
MAX_TOKENS = 12_000  # of text
MAX_LINE_CHARACTERS = 300

_PART_FAILED = "Part of the search did not work: it went by words, in their own order."
_AMONG = 10  # of the best hits some are shown whole
_FEW_LINES = 3  # that are left of a chunk take no place of a whole one

_TITLE_CHARACTERS = 80  # characters
_TOLD_LINES = 2  # lines of a chunk that is not whole, and one between them
_TOLD_CHARACTERS = 160  # of each
_MEMBER_KINDS = frozenset({"method", "property", "field"})
_VALUE_KINDS = frozenset({"constant", "variable", "key"})


@dataclass(frozen=True, slots=True)
class RankedRetriever:
    """What Search asks, and what puts the hits in order; None: they stay as they were found."""

    retriever: Retriever
    rerank: Rerank | None = None


class SearchArgs(ToolArgs):
    """Arguments of Search."""

    verb: ClassVar[str] = "Search in"

    query: str = Field(max_length=MAX_QUERY, description="Question or terms.")
    path: str | None = Field(None, description="File or folder.")
    glob: str | None = Field(None, description="Such as `*.py`.")
    limit: int = Field(MAX_CHUNKS, ge=1, le=MAX_CHUNKS, description="Maximum.")

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Lower a `limit` that is too high."""
        if isinstance(limit := given.get("limit"), int):
            given["limit"] = min(limit, MAX_CHUNKS)
        return given

    def paths(self) -> tuple[str, ...]:
        """The file or folder, if one is named."""
        return () if self.path is None else (self.path,)


class Search:
    """Finds chunks by the words of a question."""

    name: ClassVar[str] = "Search"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = SearchArgs
    description = load_prompt("tools/search").render(
        chunks=str(MAX_CHUNKS), whole=str(WHOLE_CHUNKS)
    )

    async def run(self, args: SearchArgs, context: ToolContext) -> ToolResult:
        """List the best chunks with their lines."""
        snapshot = context.snapshot
        selection = await in_thread(select, snapshot, args.path, args.glob, hides=context.hidden)
        only = None if selection.is_all else await in_thread(lambda: selection.files)
        ranked = context.need(RankedRetriever)
        found = await ranked.retriever.search(
            snapshot, args.query, args.limit, only, rerank=ranked.rerank
        )
        if not found.hits:
            nothing = _nothing_found(snapshot, selection, found)
            return ToolResult("\n\n".join((nothing, *_caveats(found))))
        question = question_of(args.query)
        blocks = await in_thread(lambda: [*_blocks(snapshot, question, found.hits, context.reads)])
        result = await in_thread(_report, snapshot, question, found, blocks)
        _remember(blocks, context.reads)
        return result


async def search_answer(  # noqa: PLR0913 - what the command asks for
    snapshot: WorkspaceSnapshot,
    retriever: Retriever,
    args: SearchArgs,
    stages: Stages = ALL_STAGES,
    rerank: Rerank | None = None,
    *,
    explain: bool = False,
    hides: IsHidden | None = None,
    for_model: bool = False,
) -> SearchAnswer:
    """The best chunks, of files that are not hidden. Raises `UsageError`.

    What a server said is for people, not `for_model`.
    """
    selection = await in_thread(select, snapshot, args.path, args.glob, hides=hides)
    only = None if selection.is_all else await in_thread(lambda: selection.files)
    found = await retriever.search(
        snapshot, args.query, args.limit, only, stages, rerank, explain=explain
    )
    return await in_thread(_answer, snapshot, selection, args.query, found, for_model=for_model)


def _answer(
    snapshot: WorkspaceSnapshot, selection: Selection, query: str, found: Found, *, for_model: bool
) -> SearchAnswer:
    where = f" ({selection.filters})" if selection.filters else ""
    searched = (
        f"Searched {counted(found.files, 'files')}{where} for {', '.join(found.terms)}."
        if found.hits
        else _nothing_found(snapshot, selection, found)
    )
    if found.pending:
        searched += f" {_pending(found)} {found.advice}"
    if found.problem:
        searched += f" {_PART_FAILED if for_model else found.problem}"
    question = question_of(query)
    hits = tuple(_hit(snapshot, question, hit) for hit in found.hits)
    return SearchAnswer(hits, searched, found.absent if found.hits else ())


def _hit(snapshot: WorkspaceSnapshot, question: QuestionWords, hit: Hit) -> SearchHit:
    chunk, lines = hit.chunk, hit.lines
    name = chunk.defines[0] if chunk.defines else ""
    told = best_lines(question, lines, chunk.first_line, name)
    places = hit.places.items()
    return SearchHit(
        path=snapshot.relative(hit.document.path),
        uri=hit.document.uri,
        sha256=hit.document.sha256,
        first_line=chunk.first_line,
        last_line=chunk.last_line,
        context=_title(chunk, question),
        text="\n".join(lines),
        score=round(hit.score, 3),
        lines=told.lines,
        words=told.words,
        stages=tuple(StagePlace(name, at.rank, round(at.score, 3)) for name, at in places),
        reasons=tuple(
            SearchReason(each.feature, round(each.value, 3), round(each.weight, 3))
            for each in hit.reasons
        ),
    )


@dataclass(frozen=True, slots=True)
class _Block:
    """A hit as the model sees it: the numbers of the `lines` shown, and whether these are all."""

    hit: Hit
    head: str
    lines: tuple[int, ...]
    whole: bool
    longest: int  # characters of a line

    def text(self) -> str:
        """The head, and the lines under their numbers."""
        lines = self.hit.document.lines
        shown = (f"{n}\t{shorten(lines[n - 1], self.longest)}" for n in self.lines)
        return "\n".join((self.head, *shown))

    def spans(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The lines shown in full, and those cut."""
        return whole_and_cut(self.hit.document, self.lines, self.longest)


def _report(
    snapshot: WorkspaceSnapshot, question: QuestionWords, found: Found, blocks: Sequence[_Block]
) -> ToolResult:
    last = max((at for at, block in enumerate(blocks) if block.whole), default=-1)
    texts = [block.text() for block in blocks]
    parts = [*texts[: last + 1], "\n".join(texts[last + 1 :])]
    if found.absent:
        parts.append(f"[in no file searched: {', '.join(found.absent)}]")
    parts += _caveats(found)
    shown = [block.spans() for block in blocks]
    whole = tuple(span for spans, _ in shown for span in spans)
    shortened = tuple(span for _, spans in shown for span in spans)
    places = tuple(_found_place(hit, snapshot, question) for hit in found.hits)
    files = len({hit.document.path for hit in found.hits})
    outcome = f"{counted(len(places), 'places')} in {counted(files, 'files')}"
    text = "\n\n".join(filter(None, parts))
    return ToolResult(text, whole, citable=shortened, outcome=outcome, places=places)


def _caveats(found: Found) -> list[str]:
    """Why the hits may not be the best, for the model; what a server said is for people alone."""
    caveats = [f"[{_pending(found)}]"] if found.pending else []
    if found.problem:
        caveats.append(f"[{_PART_FAILED}]")
    return caveats


def _blocks(
    snapshot: WorkspaceSnapshot, question: QuestionWords, hits: Sequence[Hit], reads: ReadState
) -> Iterator[_Block]:
    """The best chunks that the model does not know yet whole, some lines of the others."""
    new = [_not_above(hit, reads) for hit in hits]
    best = _worth_showing(snapshot, question, hits, new)
    left, room = WHOLE_CHUNKS, round(MAX_TOKENS * BYTES_PER_TOKEN)
    for at, (hit, lines) in enumerate(zip(hits, new, strict=True)):
        place = _found_place(hit, snapshot, question)
        head = f"{at + 1}. {place.path}:{place.first_line}-{place.last_line}"
        head += f" ({place.context})" if place.context else ""
        if not lines:
            yield _Block(hit, f"{head} [shown above]", (), False, 0)
            continue
        is_part = len(lines) <= place.last_line - place.first_line
        title = f"{head} [other lines of it are shown above]" if is_part else head
        block = _Block(hit, title, lines, True, MAX_LINE_CHARACTERS)
        is_whole = left > 0 and at in best
        size = len(block.text().encode("utf-8", "surrogatepass")) if is_whole else 0
        if is_whole and size <= room:
            room -= size
            left -= not is_part or len(lines) > _FEW_LINES
            yield block
        else:
            told = best_lines(question, hit.lines, place.first_line, most=_TOLD_LINES)
            yield _Block(hit, head, told.lines, False, _TOLD_CHARACTERS)


def _worth_showing(
    snapshot: WorkspaceSnapshot,
    question: QuestionWords,
    hits: Sequence[Hit],
    new: Sequence[Sequence[int]],
) -> frozenset[int]:
    """Which hits to show whole: those whose `new` lines are worth it, or else any."""
    shown = [at for at, lines in enumerate(new) if lines]
    worth = [
        at
        for at in shown
        if at < _AMONG
        and is_worth_showing(
            question.text,
            snapshot.relative(hits[at].document.path),
            hits[at].chunk,
            [hits[at].document.lines[number - 1] for number in new[at]],
        )
    ]
    return frozenset(worth or shown)


def _not_above(hit: Hit, reads: ReadState) -> tuple[int, ...]:
    """The lines of a chunk that do not stand above; none if those say nothing."""
    above: set[int] = set()
    for first, count in reads.ranges(hit.document.path, hit.document.sha256):
        above.update(range(first, first + (count or 0)))
    first, count = _range(hit)
    lines = tuple(number for number in range(first, first + (count or 0)) if number not in above)
    says = any(map(str.isalnum, "".join(hit.document.lines[number - 1] for number in lines)))
    return lines if says or len(lines) == count else ()


def _remember(blocks: Iterable[_Block], reads: ReadState) -> None:
    """Neither Read nor Search show again what stands in full; of notebooks Read shows cells."""
    for block in blocks:
        document, (_, cut) = block.hit.document, block.spans()
        if block.whole and not cut and not document.path.endswith(".ipynb"):
            reads.remember(document.path, _range(block.hit), document.sha256)


def _range(hit: Hit) -> ReadRange:
    return hit.chunk.first_line, hit.chunk.last_line - hit.chunk.first_line + 1


def _pending(found: Found) -> str:
    """A sentence about files that were not looked at."""
    files = "file holds" if found.pending == 1 else "files hold"
    return (
        f"{found.pending:,} more {files} words of the question and were not ranked, because the"
        " index is not complete yet."
    )


def _nothing_found(snapshot: WorkspaceSnapshot, selection: Selection, found: Found) -> str:
    """Why there are no hits, and which files were searched."""
    if not found.terms:
        return "The query holds no word to look for; name what you are looking for."
    if snapshot.roots and not selection.count:
        return f"No file was searched; widen path or glob.\n{account(snapshot, selection)}"
    return (
        f"Nothing shares a word with the query (looked for {', '.join(found.terms)})."
        " Ask in other words, in the language of the code and its comments.\n"
        f"{account(snapshot, selection)}"
    )


def _found_place(hit: Hit, snapshot: WorkspaceSnapshot, question: QuestionWords) -> FoundPlace:
    chunk = hit.chunk
    path = snapshot.relative(hit.document.path)
    return FoundPlace(path, chunk.first_line, chunk.last_line, _title(hit.chunk, question))


def _title(chunk: Chunk, question: QuestionWords) -> str:
    """The definitions around a chunk, outermost first, and the one in it that fits best."""
    names = list(chunk.within)
    if names and chunk.defines[:1] == chunk.within[-1:]:
        return _shortened(names)
    defined = dict(zip(chunk.defines, chunk.kinds, strict=False))
    outer = [name for name in defined if defined[name] not in _MEMBER_KINDS] or list(defined)
    wanted = frozenset(question.terms)
    best = max(
        (name for name in outer if name not in names),
        key=lambda name: (
            len(wanted.intersection(terms_of(name))),
            defined[name] not in _VALUE_KINDS,
        ),
        default=None,
    )
    return _shortened(names if best is None else [*names, best])


def _shortened(names: Sequence[str]) -> str:
    title = " > ".join(names)
    return title if len(title) <= _TITLE_CHARACTERS else f"{title[: _TITLE_CHARACTERS - 1]}…"
