"""What came of a task of a plan, and where its sources contradict each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from glossator.core.question import Option, Question
from glossator.core.report import Finding, Report
from glossator.core.shown import shown_prose
from glossator.core.span import Citation
from glossator.core.tool_result import shorten

NOT_FOUND = "NOT FOUND"

_BYTES = 6_000  # of a result, for the model
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
        """Its findings as Markdown, and then why there are no more if it broke off."""
        found = replace(self.report, partial="").markdown()
        partial = self.report.partial
        return f"{found}\n\n*This result is partial: {partial}.*" if partial else found

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those of its findings, in order."""
        return self.report.citations

    @property
    def for_model(self) -> str:
        """Its findings for a model, without what was searched.

        What did not hold is no citation; words say what nobody judged.
        """
        return replace(self.report, searched=()).model_message(_BYTES, says_unjudged=True)


def no_result(number: int, description: str, why: str) -> TaskResult:
    """Of a task that came to nothing."""
    reason = why.partition("\n")[0].rstrip(".")
    return TaskResult(number, description, Report("", description, partial=reason), reason)


def result_of(number: int, description: str, report: Report) -> TaskResult:
    """A report as the result of a task; it failed if it found nothing."""
    failed = ""
    if report.is_empty:
        failed = report.partial or "nothing was found"
    elif not has_answer(report):
        failed = report.partial or "nothing that answers it was found"
    return TaskResult(number, description, report, failed)


def has_answer(report: Report) -> bool:
    """Whether a report says something, and rests on lines that were shown."""
    return NOT_FOUND not in report.markdown()[: len(NOT_FOUND) + 4] and report.rests_on_lines


def without_conflicts(report: Report) -> tuple[Report, tuple[Question, ...]]:
    """The report without the lines that name conflicts, and what these have the user asked."""
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
