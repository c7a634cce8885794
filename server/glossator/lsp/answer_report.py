"""An answer as a document of Markdown, for clients without a panel."""

from __future__ import annotations

from glossator.core.answer import Answer
from glossator.core.citations import CitationMark, link, rewrite_citations, space_before
from glossator.core.run_events import not_saved
from glossator.core.shown import shown_prose
from glossator.core.span import CitationView
from glossator.core.standing import findings, found_of, holds, objection, tally


def to_markdown(answer: Answer) -> str:
    """The answer, its citations as links with what speaks against them, and how it came about."""
    cited = {each.target for each in answer.citations}

    def linked(mark: CitationMark) -> str:
        found = found_of(mark, answer.citations)
        doubt = f" ({objection(found)})" if found and not holds(found) else ""
        return space_before(answer.text, mark) + _link(mark.place, found) + doubt

    parts = [rewrite_citations(answer.text, linked, cited.__contains__).rstrip()]
    standing = [*findings(answer.text, answer.citations, answer.uncited, answer.corrections, _link)]
    if standing:
        parts.append("## Citations\n\n" + "\n".join(standing))
        parts.append(f"{tally(answer.citations, len(answer.uncited), len(answer.corrections))}.")
    report = getattr(answer, "report", None)
    if report is not None and report.searched:
        parts.append(f"## Searched\n\n{report.account()}")
    if answer.unsaved:
        parts.append(f"**{not_saved(answer.unsaved)}**")
    how = "offline, extractive" if answer.offline else answer.model
    parts.append(f"---\n\n*{how}; stopped: {answer.stop}*")
    return shown_prose("\n\n".join(parts) + "\n")


def _link(name: str, citation: CitationView | None) -> str:
    if citation is None or citation.uri is None:
        return f"`{name}`"
    first, _ = citation.leads_to
    line = f"#L{first}" if first else ""
    return link(name, f"{citation.uri}{line}")
