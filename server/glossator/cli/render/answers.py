"""How answers are shown, each by a function; those of an ability stand with its sub-commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest

from glossator.cli.context import context_parts
from glossator.cli.facts import fact_parts
from glossator.cli.mcp import mcp_parts
from glossator.cli.memory import memory_parts
from glossator.cli.messages import (
    NO_RULES,
    NO_TRUSTED,
    amount,
    duration,
    names,
    plural,
    price,
    size,
    stop_notice,
)
from glossator.cli.render import Column, Exact, Fields, Part, Styled, Table, line, listed
from glossator.cli.render.citations import checked_parts, standing_parts
from glossator.cli.render.pipe import text_of
from glossator.cli.retrieval import retrieval_parts
from glossator.cli.sessions import session_parts, undo_parts
from glossator.cli.setup import setup_parts
from glossator.commands import (
    AgentTranscript,
    Check,
    CheckState,
    ChunksView,
    DoctorAnswer,
    ExportedSession,
    IndexAnswer,
    ModeAnswer,
    ModelAnswer,
    ModelList,
    ModelView,
    RuleList,
    SpendingView,
    StatusAnswer,
    ToolAnswer,
    UndoAnswer,
)
from glossator.core.answer import Answer
from glossator.core.shown import shown
from glossator.core.tokens import Price

_OF_ABILITIES: tuple[Callable[[object], Iterator[Part]], ...] = (  # each knows its own answers
    session_parts,
    fact_parts,
    memory_parts,
    mcp_parts,
    context_parts,
    retrieval_parts,
    setup_parts,
    checked_parts,
)
_OFFLINE = "offline, no model"
_CHECKS = {  # mark and style at a terminal, word in a pipe
    CheckState.OK: ("✓", "green", "ok"),
    CheckState.WARNING: ("!", "yellow", "warning"),
    CheckState.FAILED: ("✗", "red", "FAILED"),
}
_EFFECTS = {"deny": "red", "ask": "yellow", "allow": "green"}
_SOURCES = {
    "settings": "settings or options",
    "always": "answered: always here",
    "session": "answered: in the session",
}


def answer_parts(
    answer: object, grounded: Iterable[Part] = (), *, in_chat: bool = False
) -> Iterator[Part]:
    """The parts of an answer; `grounded` is what its run kept.

    They name undo and redo as a terminal has them (`glossator undo`), or `in_chat` (`/undo`).
    """
    match answer:
        case Answer():
            yield from _run(answer, grounded, in_chat=in_chat)
        case UndoAnswer():
            yield from undo_parts(answer, in_chat=in_chat)
        case ToolAnswer(text=text) | ExportedSession(text=text) | AgentTranscript(text=text):
            yield Exact(text)
        case StatusAnswer():
            yield Fields(tuple(_status(answer)))
        case IndexAnswer():
            yield Fields(tuple(_index(answer)), answer.problems)
        case DoctorAnswer():
            yield _doctor(answer)
        case ModelList():
            yield from _models(answer)
        case ModelAnswer(model=now, before=before) | ModeAnswer(mode=now, before=before):
            what = "Model" if isinstance(answer, ModelAnswer) else "Mode"
            since = ", as before" if now == before else f" from now on, no longer {before}"
            yield line(f"{what} {now}{since}.", "dim", aside=True)
        case RuleList() | Trusted():
            yield _kept(answer)
        case _:
            yield from chain.from_iterable(parts(answer) for parts in _OF_ABILITIES)


def answer_text(answer: object) -> str:
    """An answer to a `/` word as a pipe shows it, but tables in columns."""
    return "\n".join(filter(None, map(_in_columns, answer_parts(answer, in_chat=True))))


def _in_columns(part: Part) -> str:
    text = text_of(part)
    if not isinstance(part, Table):
        return text
    rows = [each.split("\t") for each in text.split("\n")]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    cells = ((cell.ljust(width) for cell, width in zip(row, widths, strict=False)) for row in rows)
    return "\n".join("  ".join(row).rstrip() for row in cells)


def _run(answer: Answer, grounded: Iterable[Part], *, in_chat: bool) -> Iterator[Part]:
    """The parts below the text of a run's answer."""
    if ending := stop_notice(answer.stop):
        yield line(ending, "yellow", aside=True)
    yield from standing_parts(answer)
    yield from grounded
    yield line(footer(answer), "dim", kind="footer", aside=True)
    yield line(_what_next(answer, in_chat=in_chat), "dim", kind="footer", aside=True)


def footer(answer: Answer) -> str:
    """Model, turns, tokens, time and price of a run."""
    usage = answer.usage
    parts = [_OFFLINE if answer.offline else answer.model, plural(answer.turns, "turn")]
    if taken := usage.input_total:
        cached = usage.cache_read_tokens
        share = f" ({cached * 100 // taken}% cached)" if cached else ""
        parts.append(f"{amount(taken)} tokens in{share}, {amount(usage.output_tokens)} out")
    parts.append(duration(answer.milliseconds))
    if not answer.offline:
        run, session = price(answer.dollars), price(answer.session_dollars)
        parts.append(run if run == session else f"{run} (session {session})")
    return " · ".join(parts)


def _what_next(answer: Answer, *, in_chat: bool) -> str:
    """The files that the run changed, how to undo that, and how to continue its session."""
    session = f"session {answer.session_id} (--resume)"
    if not answer.changed_files:
        return session
    undo = "/undo" if in_chat else "glossator undo"
    return f"changed {names(answer.changed_files)} ({undo}) · {session}"


def _index(answer: IndexAnswer) -> Iterator[tuple[str, str]]:
    yield "files", f"{answer.files:,}"
    yield "in the index", f"{answer.indexed:,}"
    if answer.pending:
        causes = "" if answer.problems else "links, unreadable or just changed; "
        yield "not in it", f"{answer.pending:,} ({causes}always searched)"
    yield "for Search", plural(answer.chunk_files, "file")
    yield "embeddings", answer.embedding
    yield "on disk", f"{plural(answer.segments, 'segment')}, {size(answer.disk_bytes)} in all"
    if answer.sharing:
        yield "contexts", answer.sharing
    yield "time", duration(answer.milliseconds)
    if not answer.problems:  # each has a line of its own
        yield "problems", "none"


def _status(status: StatusAnswer) -> Iterator[tuple[str, str]]:
    yield "version", status.version
    yield "model", _OFFLINE if status.offline else status.model
    for root in status.roots:
        yield "workspace", root
    yield "files", f"{status.files:,}{' (still scanning)' if status.scanning else ''}"
    yield "open documents", str(status.open_documents)
    yield "revision", str(status.revision)
    yield "watcher", status.watcher
    if (sweep := status.last_sweep) is not None:
        ago, took = duration(sweep.seconds_ago * 1000), duration(sweep.milliseconds)
        found = plural(sweep.differences, "difference")
        if sweep.cause == "start":  # everything is new to a server that starts
            yield "first scan", f"{ago} ago, in {took}"
        else:
            yield "last sweep", f"{ago} ago ({sweep.cause}): {found} in {took}"
    index = status.index
    yield "index", index.state
    yield "in the index", f"{plural(index.documents, 'file')}, {index.delta:,} in memory"
    yield "not in it yet", plural(index.pending, "file")
    yield "segments", f"{index.segments}, {size(index.disk_bytes)}"
    for problem in index.problems:
        yield "problem", problem
    yield from _chunks(status.chunks)
    if status.sharing:
        yield "contexts", status.sharing
    if (outlines := status.outlines) is not None:
        yield "outlines", f"{outlines.entries:,}, {size(outlines.bytes)}"
    yield from (("failed", failed) for failed in status.failed)
    yield from _processes(status)
    for spent in status.spending:
        yield "spent", _spent(spent)
    if status.runs:
        yield "running", ", ".join(status.runs)
    for rule in status.skipped:
        such_as = "such as " if rule.count > 1 else ""
        yield "skipped", f"{rule.count:,}: {shown(rule.rule)} ({such_as}{shown(rule.example)})"


def _chunks(chunks: ChunksView) -> Iterator[tuple[str, str]]:
    yield "for Search", f"{chunks.state}; {plural(chunks.files, 'file')}, {size(chunks.disk_bytes)}"
    yield "embeddings", chunks.embedding
    if chunks.pending:
        yield "not in it yet", plural(chunks.pending, "file")
    if chunks.problem:
        yield "problem", chunks.problem


def _processes(status: StatusAnswer) -> Iterator[tuple[str, str]]:
    if status.mcp_servers:
        yield "MCP servers", status.mcp_servers
    yield "worker", status.worker
    yield "ripgrep", status.ripgrep
    worker = status.worker_memory_bytes
    yield "memory", size(status.memory_bytes) + (f", worker {size(worker)}" if worker else "")
    cache = status.cache
    held = f"{cache.entries:,} texts, {size(cache.bytes)}"
    used = f"{cache.hits:,} hits, {cache.misses:,} misses, {cache.dedupes:,} dedupes"
    yield "read cache", f"{held}, {used}"
    yield "sessions", str(status.sessions)


def _spent(spent: SpendingView) -> str:
    """`How is it built?: 3 requests, 12k tokens, $0.02`."""
    requests, tokens = plural(spent.replies, "request"), amount(spent.usage.total)
    more = " or more" if spent.broken_off else ""
    return f"{shown(spent.title)}: {requests}, {tokens} tokens, {price(spent.dollars)}{more}"


def _doctor(answer: DoctorAnswer) -> Table:
    columns = (Column(whole=True), Column(style="bold", whole=True), Column())
    rows, plain = [], []
    for check in answer.checks:
        mark, style, word = _CHECKS[check.state]
        rows.append((Styled(mark, style), check.name, _findings(check)))
        plain.append(f"{word}: {check.name}: {check.detail}")
        if check.next_step:
            plain.append(f"    {check.next_step}")
    return Table(columns, tuple(rows), tuple(plain))


def _findings(check: Check) -> tuple[Styled, ...]:
    """The detail, and below it what to do."""
    step = (Styled(f"\n→ {check.next_step}", "yellow"),) if check.next_step else ()
    return (Styled(check.detail), *step)


def _models(answer: ModelList) -> Iterator[Part]:
    columns = tuple(Column(style=style) for style in ("green", "bold", "", "", "dim"))
    yield Table(columns, tuple(_model(each, answer.effort) for each in answer.models))
    if answer.problem:
        yield line(answer.problem, "yellow", kind="table", aside=True)


def _model(model: ModelView, effort: str | None) -> tuple[str, ...]:
    """Mark, id, window, price and efforts; the one that answers is marked."""
    asked = (effort if model.current else None) or model.effort
    levels = (f"[{each}]" if each == asked else each for each in model.efforts or ())
    return (
        "*" if model.current else "",
        model.id,
        "" if model.window is None else amount(model.window),
        "nothing is asked" if model.offline else _price(model.price),
        ", ".join(levels),
    )


def _price(each: Price | None) -> str:
    if each is None:
        return "price unknown"
    words = f"${each.input:g} in, ${each.output:g} out"
    if each.above is None or each.up_to is None:
        return words
    return f"{words}; over {amount(each.up_to)}: {_price(each.above)}"


@dataclass(frozen=True, slots=True)
class Trusted:
    """The folders that are remembered as trusted; no server answers this."""

    trusted: tuple[str, ...]


def _kept(answer: RuleList | Trusted) -> Part:
    """The rules, or the folders that are remembered as trusted."""
    if isinstance(answer, RuleList):
        return listed(_rules(answer), NO_RULES)
    table = Table((Column(),), tuple((shown(each),) for each in answer.trusted))
    return listed(table, NO_TRUSTED)


def _rules(answer: RuleList) -> Table:
    """A row for each rule; denials are red."""
    columns = (Column(whole=True), Column("rule"), Column("from", "dim"))
    rows = (
        (Styled(each.effect, _EFFECTS[each.effect]), shown(each.text), _SOURCES[each.source])
        for each in answer.rules
    )
    return Table(columns, tuple(rows))
