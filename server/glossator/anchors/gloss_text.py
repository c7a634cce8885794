"""A gloss as people read it: its citations link to the current places of the lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

from glossator.anchors.gloss_index import GlossState
from glossator.anchors.passages import PassagePlace
from glossator.core.citation_words import objection
from glossator.core.citations import CitationMark, link, place, rewrite_citations
from glossator.core.markdown import harmless
from glossator.core.report import ITEM, Finding, joined
from glossator.core.shown import shown_prose
from glossator.core.span import Citation
from glossator.core.uri import to_uri

EXTRACTIVE = "extracted without a model"


def freshness_text(kept: GlossState) -> str:
    """`fresh`, or how many of the cited lines changed, if there are any."""
    if not kept.gloss.paths:
        return "unchecked: it cites no lines"
    if kept.freshness is None:
        return "not looked at yet"
    changed = kept.freshness.changed
    if not changed:
        return "fresh"
    return f"stale: {changed:,} cited line{'s' if changed > 1 else ''} changed"


def gloss_origin(kept: GlossState) -> str:
    """The model that made it, and the date."""
    gloss = kept.gloss
    return f"{gloss.model or EXTRACTIVE}, {gloss.made_at.astimezone():%Y-%m-%d}"


def gloss_summary(kept: GlossState) -> str:
    """The first finding that cites lines, else the first that is no heading."""
    findings = zip(kept.gloss.report.findings, _findings(kept), strict=True)
    found = [(finding, text) for finding, text in findings if not text.startswith("#")]
    first = next((text for finding, text in found if finding.citations), None)
    told = first if first is not None else found[0][1] if found else ""
    item = ITEM.match(told)
    return told[item.end() :] if item else told


def gloss_document(kept: GlossState, title: str) -> str:
    """The whole report as a document of Markdown."""
    report = kept.gloss.report
    parts = [harmless(f"# {title}"), f"*{freshness_text(kept)} · {gloss_origin(kept)}*"]
    if report.partial:
        parts.append(f"*This report is partial: {report.partial}.*")
    parts.append(joined(_findings(kept)) or "Nothing was found.")
    if report.open:
        parts += ["## Open", joined(map(harmless, report.open))]
    if report.searched:
        parts += ["## Searched", report.account()]
    return shown_prose("\n\n".join(parts) + "\n")


def gloss_link(path: str, line: int) -> str:
    """A link whose command makes a gloss of the symbol on a 1-based line."""
    return _command("glossator.gloss", {"uri": to_uri(path), "line": line})


def whole_gloss_link(kept: GlossState) -> str:
    """What shows the whole gloss."""
    return _command("glossator.showGloss", {"key": kept.gloss.subject.key})


def _command(name: str, argument: dict[str, object]) -> str:
    return f"command:{name}?{quote(json.dumps([argument]), safe='')}"


def _findings(kept: GlossState) -> Iterator[str]:
    places = iter(kept.freshness.places if kept.freshness else ())
    for finding in kept.gloss.report.findings:
        now = [next(places, None) for _ in finding.citations]
        yield _linked(finding, now)


def _linked(finding: Finding, places: list[PassagePlace | None]) -> str:
    cited = iter(zip(finding.citations, places, strict=True))

    def linked(mark: CitationMark) -> str:
        citation, now = next(cited, (None, None))
        return f"`{mark.place}`" if citation is None else _link(mark, citation, now)

    return rewrite_citations(harmless(finding.text), linked)


def _link(mark: CitationMark, citation: Citation, now: PassagePlace | None) -> str:
    span, against = citation.span, objection(citation)
    doubt = f" ({against})" if against else ""
    if span is None:
        return f"`{mark.place}`{doubt}"
    first, last = (now.first_line, now.last_line) if now else (span.first_line, span.last_line)
    lines = f"L{first}" if first == last else f"L{first}-L{last}"
    if not doubt and now and now.changed:
        doubt = " (changed)"
    label = place(mark.path, first, last) if mark.names_file else mark.path
    return link(label, f"{span.uri}#{lines}") + doubt
