"""Check a text of anybody's: whether the lines that its sentences cite say what they say."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from glossator.application import Application
from glossator.commands.answers.checked import CheckedSentence, CheckedText
from glossator.core.citation_words import one_sentence
from glossator.core.citations import parse_citations
from glossator.core.errors import UsageError
from glossator.core.fact import FactView
from glossator.core.shown import shown
from glossator.core.span import CitationView, Span
from glossator.grounding import CheckedAnswer, CheckedStatement, Sources
from glossator.llm import Meter
from glossator.permissions import HiddenFiles
from glossator.turn import Judging, new_facts
from glossator.workspace import WorkspaceSnapshot

MOST = 100_000  # characters of a text
_PROVING_SECONDS = 20.0  # for a language server to start, and to prove what a text claims


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A text in Markdown whose sentences cite lines; `model`: the fast model is asked as well."""

    text: str
    model: bool = True


class _Everything:
    """Whoever wrote the text may have read every line."""

    is_empty: Literal[False] = False

    def missing(self, _span: Span) -> Sequence[int]:
        """No line is missing."""
        return ()

    def is_outdated(self, _span: Span) -> bool:
        """Only the text as it is now counts."""
        return False

    def ending(self, _path: str) -> str | None:
        """Paths are cited whole."""
        return None


async def check_text(app: Application, request: CheckRequest) -> CheckedText:
    """Judge each sentence by its lines as they are now. Raises `UsageError`."""
    checked, _ = await _judged(app, request)
    return checked


async def remember_text(
    app: Application, text: str, whose: str
) -> tuple[CheckedText, tuple[FactView, ...]]:
    """Check a text, and keep the supported sentences that can be facts; gives both.

    `whose` stands where the facts of an answer have their session and their run. What was known
    before is among the facts. Raises `UsageError`.
    """
    if not app.settings.facts.enabled:
        raise UsageError("Facts are off: the setting facts.enabled is false.")
    checked, answer = await _judged(app, CheckRequest(text))
    found = await new_facts(app, answer.statements)
    await app.ledger.remember(whose, whose, found)
    said = {each.statement for each in found}
    kept = (each for each in app.ledger.all() if each.statement in said)
    return checked, tuple(map(app.ledger.view, filter(app.ledger.is_fresh, kept)))


async def _judged(app: Application, request: CheckRequest) -> tuple[CheckedText, CheckedAnswer]:
    if not request.text.strip():
        raise UsageError("The text is empty; give one whose sentences cite lines of files.")
    if len(request.text) > MOST:
        raise UsageError(f"The text has more than {MOST:,} characters; check it in parts.")
    await app.ready()
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()
    if hidden is not None:
        await asyncio.to_thread(_refuse_hidden, request.text, snapshot, hidden)
    sources, notices = Sources(snapshot, _Everything()), list[str]()

    async def given() -> Sources:
        return sources

    async with Judging(
        app,
        Meter(),
        given,
        asks=request.model,
        proving=_PROVING_SECONDS,
        tell=notices.append,
    ) as judging:
        found = await judging.judged(request.text)

    checked = CheckedText(
        request.text,
        tuple(map(CitationView.of, found.citations)),
        found.uncited,
        tuple(_sentence(each) for each in found.statements if _counts(each)),
        tuple(notices),
    )
    return checked, found


def _refuse_hidden(text: str, snapshot: WorkspaceSnapshot, hidden: HiddenFiles) -> None:
    """Raise `UsageError` for a text that cites a file which rules hide."""
    for mark in parse_citations(text, lambda _: True):
        path = snapshot.folders.locate(mark.path) if mark.names_file else None
        if isinstance(path, str) and hidden(path):
            raise UsageError(
                f"A permission rule hides {shown(mark.path)}, so what cites it cannot be checked."
            )


def _counts(checked: CheckedStatement) -> bool:
    return bool(checked.statement.marks) or checked.is_uncited


def _sentence(checked: CheckedStatement) -> CheckedSentence:
    return CheckedSentence(
        one_sentence(checked.statement.text),
        checked.statement.start,
        checked.verdict.value if checked.statement.marks else "uncited",
        checked.basis,
        checked.reason,
        tuple(map(CitationView.of, checked.citations)),
    )
