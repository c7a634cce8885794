"""Preview: what would go with a question, found without asking anybody or changing anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.context import Going, GoingKind, PreviewAnswer
from glossator.core.attached import Attached, Exhibit
from glossator.core.citations import place
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.core.tokens import estimate_tokens
from glossator.core.uri import to_uri
from glossator.llm import estimate_messages, user_message
from glossator.sessions import Session
from glossator.turn import (
    DIAGNOSTICS,
    GIT,
    SELECTION,
    TERMINAL,
    Attachment,
    Mentioned,
    Pasted,
    Telling,
    attach_all,
    editor_state,
    fact_line,
    facts_for,
    find_mentions,
    in_time,
    instructions_now,
    left_out_files,
    likely_memories,
    memory_index,
    resolve_mentions,
    server_of,
)

_SEEN_LATER = frozenset({DIAGNOSTICS, SELECTION, TERMINAL})  # when the question is sent


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A question as it is being written, as `glossator.ask` takes it."""

    question: str
    session_id: str | None = None
    attachments: tuple[Attachment | Pasted, ...] = ()


async def preview(app: Application, request: PreviewRequest) -> PreviewAnswer:
    """What would go with the question; what cannot is told. Raises as `Sessions.open`."""
    sessions = app.sessions
    session = await sessions.open(request.session_id) if request.session_id else sessions.blank()
    problems: list[str] = []
    tell = problems.append
    begins = not session.conversation.messages
    asked, none = request.question, list[Going]()
    attached, mentioned, opening, editor, memories, facts = await asyncio.gather(
        _attached(app, request.attachments, tell),
        in_time("Mentions", lambda: _mentioned(app, asked), none, tell),
        in_time(
            "What begins a conversation", lambda: _opening(app, tell, begins=begins), none, tell
        ),
        in_time("Facts about the editor", lambda: _editor(app, session), Telling(), tell),
        in_time("Memories", lambda: _memories(app, session, asked), none, tell),
        in_time("Facts", lambda: _facts(app, session, asked), none, tell),
    )
    shows = [
        Going(
            GoingKind.EDITOR,
            "What the editor shows",
            "by the setting context.ambient",
            estimate_tokens(text),
        )
        for text in editor.texts
    ]
    parts = (*attached, *mentioned, *opening, *memories, *facts, *shows)
    return PreviewAnswer(parts, sum(each.tokens or 0 for each in parts), tuple(problems))


async def _editor(app: Application, session: Session) -> Telling:
    return await editor_state(app, app.now(), session)


async def _attached(
    app: Application, wanted: Sequence[Attachment | Pasted], tell: Callable[[str], object]
) -> list[Going]:
    try:
        found = await attach_all(app, wanted)
    except UsageError as error:
        tell(str(error))
        return []
    return [_shown(GoingKind.ATTACHED, each, "attached by you") for each in found]


async def _mentioned(app: Application, question: str) -> list[Going]:
    """What the question names with `@`; the terminal and its like are looked at when it is sent."""
    wanted = await asyncio.to_thread(find_mentions, question)
    later = [
        each
        for each in wanted
        if each.text in _SEEN_LATER or each.text.startswith(GIT) or server_of(app, each) is not None
    ]
    named = [each for each in wanted if each not in later]
    found = Mentioned()
    if named:
        await app.ready()
        snapshot, hidden = app.host.snapshot(), app.acting.hidden()
        found = await resolve_mentions(named, snapshot, app.symbols, hidden)
    kind, doubts = GoingKind.MENTIONED, found.doubts.items()
    return [
        *(_shown(kind, each, "mentioned in the question") for each in found.attached),
        *(Going(kind, f"@{each.text}", "looked at as you send", None) for each in later),
        *(Going(kind, f"@{shown(text)}", f"left out: {why}", 0) for text, why in doubts),
    ]


def _shown(kind: GoingKind, item: Attached | Exhibit, why: str) -> Going:
    tokens = estimate_messages([user_message(*item.parts)])
    about = item.item
    return Going(kind, item.name, why, tokens, about.uri, about.first_line, about.last_line)


async def _opening(app: Application, tell: Callable[[str], object], *, begins: bool) -> list[Going]:
    """The parts of a conversation's beginning that are the user's and the project's."""
    if not begins:
        return []
    now = app.now()
    instructions, index, untrusted = await asyncio.gather(
        instructions_now(app, now), memory_index(app, now), left_out_files(app, now)
    )
    if untrusted:
        tell(f"Left out, because this workspace is not trusted: {', '.join(untrusted)}.")
    parts = [
        Going(
            GoingKind.INSTRUCTIONS,
            shown(each.name),
            f"an instruction file {each.origin}",
            estimate_tokens(each.rendered()),
            to_uri(each.path),
        )
        for each in instructions.files
    ]
    if index:
        why = "the list of what is remembered"
        parts.append(Going(GoingKind.MEMORY, "Memories", why, estimate_tokens(index)))
    if app.settings.retrieval.whole_tokens and not app.model.offline:
        why = "if it is small enough for retrieval.wholeTokens"
        parts.append(Going(GoingKind.WORKSPACE, "The whole workspace", why, None))
    if told := app.git.known():
        parts.append(Going(GoingKind.GIT, "git", "branch and commits", estimate_tokens(told)))
    return parts


async def _memories(app: Application, session: Session, question: str) -> list[Going]:
    return [
        Going(
            GoingKind.MEMORY,
            shown(each.name),
            shown(each.description),
            estimate_tokens(each.text),
            to_uri(str(each.path)),
        )
        for each in await likely_memories(app, session, question)
    ]


async def _facts(app: Application, session: Session, question: str) -> list[Going]:
    await app.ledger.look()
    parts = []
    for fact in await facts_for(app, session, question):
        view = app.ledger.view(fact)
        where = place(shown(fact.path), view.first_line, view.last_line)
        tokens = estimate_tokens(fact_line(fact, where))
        lines = view.first_line, view.last_line
        parts.append(Going(GoingKind.FACT, view.statement, where, tokens, view.uri, *lines))
    return parts
