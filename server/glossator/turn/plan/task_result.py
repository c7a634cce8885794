"""The results of a plan's tasks, how later tasks are told of them, and contradictions in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from glossator.core.citations import place
from glossator.core.document import Missing
from glossator.core.fact import Fact
from glossator.core.question import Option, Question
from glossator.core.report import Finding, Report
from glossator.core.shown import shown_prose
from glossator.core.span import Citation, Span, runs, whole_and_cut
from glossator.core.tool_result import shorten
from glossator.core.uri import to_path
from glossator.workspace import WorkspaceSnapshot

NOT_FOUND = "NOT FOUND"

_RESULT_BYTES = 6_000  # of a result, for the model
_STATEMENT = 300  # characters of one that is asked about
_LABEL = 80
_CONFLICT = re.compile(r"^\W*CONFLICT:\s*(?P<parts>\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of the task `number`, with checked citations; `failed` says why there is none."""

    number: int
    description: str
    report: Report
    failed: str = ""

    @property
    def text(self) -> str:
        """Its findings as Markdown; of a partial result also why it is partial."""
        found = replace(self.report, partial="").markdown()
        partial = self.report.partial
        return f"{found}\n\n*This result is partial: {partial}.*" if partial else found

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of its findings, in order."""
        return self.report.citations

    @property
    def for_model(self) -> str:
        """Its findings for a model, without the searches.

        Words take the place of citations that did not hold, and mark what nobody judged.
        """
        return replace(self.report, searched=()).model_message(_RESULT_BYTES, says_unjudged=True)


def no_result(number: int, description: str, why: str) -> TaskResult:
    """The result of a task that found nothing."""
    reason = why.partition("\n")[0].rstrip(".")
    return TaskResult(number, description, Report("", description, partial=reason), reason)


def result_of(number: int, description: str, report: Report) -> TaskResult:
    """Turn a report into the result of a task; the task failed if the report found nothing."""
    failed = ""
    if report.is_empty:
        failed = report.partial or "nothing was found"
    elif not has_answer(report):
        failed = report.partial or "nothing that answers it was found"
    return TaskResult(number, description, report, failed)


def has_answer(report: Report) -> bool:
    """Whether a report says something and cites lines that were shown."""
    return NOT_FOUND not in report.markdown()[: len(NOT_FOUND) + 4] and report.rests_on_lines


def without_conflicts(report: Report) -> tuple[Report, tuple[Question, ...]]:
    """The report without the lines that name conflicts, and the questions that these raise."""
    asked: list[Question] = []
    findings: list[Finding] = []
    for finding in report.findings:
        named = [_named(match["parts"]) for match in _CONFLICT.finditer(finding.text)]
        asked += filter(None, named)
        text = _CONFLICT.sub("", finding.text).rstrip() if all(named) else finding.text
        if text:
            findings.append(replace(finding, text=text))
    return replace(report, findings=tuple(findings)), tuple(asked)


def _named(parts: str) -> Question | None:
    text, *answers = (" ".join(shown_prose(part).split()) for part in parts.split("|"))
    options = tuple(Option(shorten(each, _LABEL)) for each in answers if each)
    return Question(text, options) if text and len(options) > 1 else None


NOTHING = "(nothing)"

_DOCUMENTS = 24_000  # characters of lines that are shown
_LINE = 300  # characters of one


def facts_zone(facts: Iterable[Fact], results: Sequence[TaskResult] = ()) -> str:
    """Facts of the ledger with their marks, then results of tasks, failed ones included."""
    parts = ["\n".join(map(fact_line, facts)), *map(_told, results)]
    return "\n\n".join(filter(None, parts)) or NOTHING


def fact_line(fact: Fact, where: str = "") -> str:
    """A fact as a line, such as `- It returns None. [cite: fact, f3a91, null] (src/a.py:3-9)`."""
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
    """The text of the lines, and the spans that it shows in full; blocking.

    Each line stands there once: overlapping or touching spans of a document are joined. Lines that
    changed since they were read, and lines there is no room for, are left out.
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
