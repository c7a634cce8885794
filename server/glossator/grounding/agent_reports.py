"""Turns a sub-agent's last words into a report: blocks of Markdown with checked citations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from glossator.core.citations import CitationMark, no_file, parse_citations, plainly_cited
from glossator.core.report import ITEM, Finding, Report
from glossator.core.span import Citation, Span
from glossator.grounding.verdicts import CheckedAnswer, place_of

_MAX_PLACES = 12  # files, and places in each
_BETWEEN = "\n\n"

_HEADING = re.compile(r"(?:#{1,6} +|\*\*)(?P<title>[^*#\n]+?)(?: *#*|:?\*\*:?) *")
_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})")
_OPEN = re.compile(r"(?:what (?:stays|is|remains) )?open(?: questions| ends)?", re.IGNORECASE)
_FINDINGS = re.compile(r"(?:report|findings|what was found)", re.IGNORECASE)


def report_of(
    agent: str,
    task: str,
    text: str,
    check: Callable[[CitationMark], Citation],
    searched: Sequence[str] = (),
    partial: str = "",
    is_file: Callable[[str], bool] = no_file,
) -> Report:
    """The report in `text`; blocking, for a thread. Blocks below a heading "Open" are open.

    Each of its marks names one place; see `core.citations` for `is_file`.
    """
    findings: list[Finding] = []
    left: list[str] = []
    is_open = False
    for block in blocks(text):
        heading = _HEADING.fullmatch(block)
        title = heading["title"].rstrip(":") if heading else ""
        if _OPEN.fullmatch(title):
            is_open = True
        elif _FINDINGS.fullmatch(title):
            is_open = False
        elif is_open and not heading:
            left.append(block)
        else:
            is_open = False
            cited = plainly_cited(block, is_file)
            findings.append(Finding(cited, tuple(map(check, parse_citations(cited)))))
    return Report(agent, task, tuple(findings), tuple(searched), tuple(left), partial)


def judged_text(report: Report) -> str:
    """The findings as one text whose statements can be judged."""
    return _BETWEEN.join(finding.text for finding in report.findings)


def judged_report(report: Report, checked: CheckedAnswer) -> Report:
    """The report with the verdicts on its `judged_text`."""
    found = {(each.at, *place_of(each)): each for each in checked.citations}
    findings, start = [], 0
    for finding in report.findings:
        citations = []
        for each in finding.citations:
            at = None if each.at is None else start + each.at
            judged = found.get((at, *place_of(each)), each)
            citations.append(replace(judged, at=each.at))
        findings.append(replace(finding, citations=tuple(citations)))
        start += len(finding.text) + len(_BETWEEN)
    return replace(report, findings=tuple(findings))


def seen(spans: Iterable[Span], name: Callable[[str], str]) -> tuple[str, ...]:
    """The lines of `spans` in a sentence, by file; `name` names a URI; no sentence for no lines."""
    places: dict[str, list[str]] = {}
    for span in spans:
        first, last = span.first_line, span.last_line
        lines = f"{first}-{last}" if last > first else f"{first}"
        places.setdefault(name(span.uri), []).append(lines)
    files = [f"{path} {_some(lines, ', ')}" for path, lines in sorted(places.items())]
    return (f"lines shown to it: {_some(files, ' · ')}",) if files else ()


def _some(items: Sequence[str], between: str) -> str:
    more = [f"and {len(items) - _MAX_PLACES:,} more"] if len(items) > _MAX_PLACES else []
    return between.join([*items[:_MAX_PLACES], *more])


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, items of lists with what is indented below them, headings, fenced code."""
    block: list[str] = []
    fence = ""
    blank = False
    for line in text.splitlines():
        if fence:
            block.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if not line.strip():
            blank = True
            continue
        begins = ITEM.match(line) or line.startswith("#") or _FENCE.match(line)
        goes_on = block and ITEM.match(block[0]) and line.startswith((" ", "\t"))  # an item
        if block and (begins or (blank and not goes_on)):
            yield "\n".join(block)
            block = []
        if blank and block:
            block.append("")
        blank = False
        block.append(line.rstrip())
        if opened := _FENCE.match(line.strip()):
            fence = opened["fence"]
    if block:
        yield "\n".join(block)
