"""The two zones of material that a model answers from: what is established, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from glossator.core.citations import place
from glossator.core.document import Missing
from glossator.core.fact import Fact
from glossator.core.shown import shown_prose
from glossator.core.span import Span, runs, whole_and_cut
from glossator.core.tool_result import shorten
from glossator.core.uri import to_path
from glossator.turn.plan.tasks import TaskResult
from glossator.workspace import WorkspaceSnapshot

NOTHING = "(nothing)"

_DOCUMENTS = 24_000  # characters of lines that are shown
_LINE = 300  # characters of one


def facts_zone(facts: Iterable[Fact], results: Sequence[TaskResult] = ()) -> str:
    """Facts of the ledger with their marks, then results of tasks, failed ones included."""
    parts = ["\n".join(map(fact_line, facts)), *map(_told, results)]
    return "\n\n".join(filter(None, parts)) or NOTHING


def fact_line(fact: Fact, where: str = "") -> str:
    """`- It returns None. [cite: fact, f3a91, null] (src/a.py:3-9)`."""
    behind = f" ({where})" if where else ""
    return f"- {shown_prose(fact.statement)} [cite: fact, {fact.id}, null]{behind}"


def _told(result: TaskResult) -> str:
    head = f"Result of task {result.number} ({shown_prose(result.description)})"
    if result.failed:
        return f"{head}: there is none, because {result.failed}."
    return f"{head}:\n{result.for_model}"


def documents_zone(
    snapshot: WorkspaceSnapshot, spans: Iterable[Span]
) -> tuple[str, tuple[Span, ...]]:
    """The text of lines, and the spans of those that it shows in full; blocking.

    Lines stand there once: spans of a document that overlap or touch are one. What is not as it was
    read any more is left out, and so is what there is no room for.
    """
    parts: list[str] = []
    whole: list[Span] = []
    room = _DOCUMENTS
    for span in _joined(spans):
        document = snapshot.read(to_path(span.uri) or span.uri)
        if isinstance(document, Missing) or document.sha256 != span.sha256:
            continue
        numbers = range(span.first_line, span.last_line + 1)
        lines = (f"{n}\t{shorten(document.lines[n - 1], _LINE)}" for n in numbers)
        path = snapshot.relative(document.path)
        text = "\n".join((place(path, span.first_line, span.last_line), *lines))
        room -= len(text)
        if room < 0:
            break
        parts.append(text)
        whole += whole_and_cut(document, numbers, _LINE)[0]
    return "\n\n".join(parts) or NOTHING, tuple(whole)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """The lines of all spans, by document in the order in which each is first named."""
    lines: dict[tuple[str, str], set[int]] = {}
    for span in spans:
        own = lines.setdefault((span.uri, span.sha256), set())
        own.update(range(span.first_line, span.last_line + 1))
    for document, numbers in lines.items():
        for first, last in runs(sorted(numbers)):
            yield Span(*document, first, last)
