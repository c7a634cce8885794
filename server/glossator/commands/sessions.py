"""Sessions: list, resume, rename, export or delete them, compact one, look at its sub-agents."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from enum import StrEnum

from glossator.application import Application
from glossator.commands.answers.sessions import (
    AgentInfo,
    AgentList,
    AgentTranscript,
    CompactAnswer,
    DeletedSession,
    DiscardedWorktree,
    ExportedSession,
    MergedWorktree,
    SessionInfo,
    SessionList,
    SessionWorktree,
    SummaryAnswer,
    TakenSession,
)
from glossator.commands.turns import undone_turns
from glossator.core.errors import SessionInUse, UsageError
from glossator.core.events import Envelope, UndoneTurn
from glossator.core.run_events import UnsavedFile
from glossator.core.shown import shown
from glossator.permissions import WorktreeState
from glossator.sessions import (
    ListedSession,
    NoGain,
    PersistedAgent,
    RunFigures,
    agent_to_markdown,
    agents_of,
    replay_events,
    run_figures,
    run_ids,
    session_state,
    to_json,
    to_markdown,
)
from glossator.turn import compactor_of, session_hooks

_TITLE_CHARACTERS = 200
_FOUND_CHARACTERS = 200  # of a question that was looked for
_WORKTREE = "worktree"  # the name of what is kept with a session that has one


@dataclass(frozen=True, slots=True)
class NewSessionRequest:
    """The title shown in lists; by default the first question.

    `worktree` is the name of a git worktree to make for it; "" has one chosen, None makes none.
    """

    title: str | None = None
    worktree: str | None = None


@dataclass(frozen=True, slots=True)
class ListSessionsRequest:
    """Of all sessions those whose title, or one question, holds each of the `words`."""

    words: str = ""


@dataclass(frozen=True, slots=True)
class ResumeSessionRequest:
    """The session to continue."""

    session_id: str


@dataclass(frozen=True, slots=True)
class TakeOverRequest:
    """The session to take over from where it is open."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ResumedSession:
    """A session, and the events to show it again by; a reply's text is one `text.delta`.

    Citations of its newest answers are told as they stand now.

    `undone` are the turns whose changes were taken back from the files; `figures` say what each run
    took that has ended. `unsaved` are the edited files whose edits are not on disk.
    """

    session: SessionInfo
    events: tuple[Envelope, ...]
    undone: tuple[UndoneTurn, ...]
    figures: tuple[RunFigures, ...]
    unsaved: tuple[UnsavedFile, ...]


@dataclass(frozen=True, slots=True)
class RenameSessionRequest:
    """A session's new title."""

    session_id: str
    title: str


@dataclass(frozen=True, slots=True)
class DeleteSessionRequest:
    """The session to delete for good."""

    session_id: str


class ExportFormat(StrEnum):
    """Markdown is for reading; JSON has everything."""

    MARKDOWN = "markdown"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ExportSessionRequest:
    """The session to export, and the format."""

    session_id: str
    format: ExportFormat = ExportFormat.MARKDOWN


async def new_session(app: Application, request: NewSessionRequest) -> SessionInfo:
    """Begin an empty session. Raises `UsageError` if there can be no worktree for it."""
    roots = None if request.worktree is None else await app.trees.make(request.worktree)
    session = app.sessions.create(request.title, roots)
    if roots is not None:
        session.keep(_WORKTREE, [])  # so that it is on disk before anything is done in it
    app.acting.modes.made(session.id)
    return await _info(app, session.id)


async def list_sessions(app: Application, request: ListSessionsRequest) -> SessionList:
    """The sessions of this workspace, kept ones included, but for those of edits in place."""
    listed = [item for item in await app.sessions.all() if item.head.listed]
    if not (words := request.words.casefold().split()):
        return SessionList(tuple(await asyncio.gather(*(_view(app, item) for item in listed))))
    found: list[SessionInfo] = []
    for item in listed:
        if _holds(item.head.title, words):
            found.append(await _view(app, item))
        else:
            questions = await app.sessions.questions(item)
            if held := next((each for each in reversed(questions) if _holds(each, words)), ""):
                question = shown(" ".join(held.split()))[:_FOUND_CHARACTERS]
                found.append(replace(await _view(app, item), found=question))
    return SessionList(tuple(found))


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text.casefold() for word in words)


async def take_over(app: Application, request: TakeOverRequest) -> TakenSession:
    """Have the server that has a session open give it up, and open it.

    Raises as `Sessions.open`.
    """
    session = await app.sessions.take_over(request.session_id)
    return TakenSession(session.id, shown(session.title))


async def resume_session(app: Application, request: ResumeSessionRequest) -> ResumedSession:
    """Make a kept session one of this server's; one that is open elsewhere is only shown.

    Raises as `Sessions.open`.
    """
    try:
        session = await app.sessions.open(request.session_id)
    except SessionInUse:
        records = await app.sessions.records(request.session_id)
        info = await _info(app, request.session_id)
        theirs = run_ids(records)  # the last of them may go on there
        events = tuple(replay_events(records, theirs))
        return ResumedSession(info, events, (), run_figures(records, theirs), ())
    records = await app.sessions.records(session.id) if session.on_disk else []
    going_on = app.runs.active()
    events = await app.cited.as_now(session, replay_events(records, going_on), going_on)
    figures = run_figures(records, going_on)
    info = await _info(app, session.id)
    unsaved = await app.acting.of(session).unsaved_now()
    return ResumedSession(info, events, undone_turns(app, session), figures, unsaved)


async def rename_session(app: Application, request: RenameSessionRequest) -> SessionInfo:
    """Give a session another title. Raises as `Sessions.open`, and for an empty title."""
    title = " ".join(request.title.split())[:_TITLE_CHARACTERS]
    if not title:
        raise UsageError("The title is empty; give the session one that can be read in a list.")
    session = await app.sessions.open(request.session_id)
    session.rename(title)
    app.sessions.settle(session)
    return await _info(app, session.id)


async def delete_session(app: Application, request: DeleteSessionRequest) -> DeletedSession:
    """Delete a session that is not running. Raises as `Sessions.open`.

    Its worktree goes, too; raises `UsageError` if that holds what would be lost.
    """
    if app.runs.busy(request.session_id):
        raise UsageError("This session is answering; cancel the run, then delete it.")
    await app.quiet(request.session_id)
    tree = await app.trees.of(request.session_id)
    await app.trees.check_deleting(tree, request.session_id)
    try:
        await app.sessions.delete(request.session_id)
    finally:
        app.acting.forget(request.session_id)
        app.cited.forget(request.session_id)
    await app.ledger.cores.remove(request.session_id)
    await app.trees.forget(tree, request.session_id)
    return DeletedSession(request.session_id)


async def export_session(app: Application, request: ExportSessionRequest) -> ExportedSession:
    """Write a session out, whichever server has it. Raises `UnknownSession` for an empty one."""
    records = await app.sessions.records(request.session_id)
    name = re.sub(r"[^\w-]+", "-", session_state(records).title)[:40].strip("-") or "session"
    match request.format:
        case ExportFormat.MARKDOWN:
            return ExportedSession(f"{name}.md", to_markdown(records))
        case ExportFormat.JSON:
            return ExportedSession(f"{name}.json", to_json(records))


async def _info(app: Application, session_id: str) -> SessionInfo:
    listed = await app.sessions.all()
    return await _view(app, next(item for item in listed if item.head.id == session_id))


async def _view(app: Application, item: ListedSession) -> SessionInfo:
    tree = app.trees.of_roots(item.head.roots)
    worktree = None
    if tree is not None:
        gone = tree.state is WorktreeState.OPEN and not tree.is_open
        state = "gone" if gone else tree.state.value
        now = await app.trees.standing(tree, item.head.turns)
        worktree = SessionWorktree(
            tree.name, tree.branch, item.head.roots, state, now.changed, shown(now.into)
        )
    return SessionInfo(
        id=item.head.id,
        title=shown(item.head.title),
        created_at=item.head.created_at,
        updated_at=item.updated_at.isoformat(timespec="seconds"),
        turns=item.head.turns,
        running=app.runs.busy(item.head.id),
        elsewhere=shown(item.elsewhere),
        waits=app.runs.waits(item.head.id),
        worktree=worktree,
    )


@dataclass(frozen=True, slots=True)
class MergeWorktreeRequest:
    """The session whose worktree is merged into the user's branch.

    `into` is the branch that the user was told; it is merged into no other. "": the current one.
    """

    session_id: str
    into: str = ""


async def merge_worktree(app: Application, request: MergeWorktreeRequest) -> MergedWorktree:
    """Commit what the session changed, merge it and remove the worktree.

    Raises `UsageError` where that cannot be done; then the user's files are as they were.
    """
    session = await app.sessions.open(request.session_id)
    tree, merged = await app.trees.merge(session, request.into)
    parts = merged.into, merged.before, merged.commit, merged.files
    return MergedWorktree(session.id, tree.branch, *parts)


@dataclass(frozen=True, slots=True)
class DiscardWorktreeRequest:
    """The session whose worktree is thrown away; if something would be lost, only `anyway`."""

    session_id: str
    anyway: bool = False


async def discard_worktree(app: Application, request: DiscardWorktreeRequest) -> DiscardedWorktree:
    """Remove the worktree and its branch. Raises `UsageError`, as `merge_worktree` does."""
    session = await app.sessions.open(request.session_id)
    tree, lost = await app.trees.discard(session, anyway=request.anyway)
    return DiscardedWorktree(session.id, tree.branch, lost)


@dataclass(frozen=True, slots=True)
class ListAgentsRequest:
    """The session whose sub-agents to list."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ShowAgentRequest:
    """A session and one of its sub-agents."""

    session_id: str
    agent_id: str


async def list_agents(app: Application, request: ListAgentsRequest) -> AgentList:
    """Raises as `Sessions.records`."""
    found = await _agents(app, request.session_id)
    return AgentList(tuple(_agent_info(app, agent) for agent in found.values()))


async def show_agent(app: Application, request: ShowAgentRequest) -> AgentTranscript:
    """Raises `UsageError` for one that is not known, and as `Sessions.records`."""
    agent = (await _agents(app, request.session_id)).get(request.agent_id)
    if agent is None:
        raise UsageError(
            f"There is no sub-agent {request.agent_id!r} in this session; list them, or look into"
            " another session."
        )
    return AgentTranscript(_agent_info(app, agent), agent.report, agent_to_markdown(agent))


async def _agents(app: Application, session_id: str) -> dict[str, PersistedAgent]:
    session = next((each for each in app.sessions.loaded() if each.id == session_id), None)
    if session is not None and not session.on_disk:
        return {}
    return agents_of(await app.sessions.records(session_id))


def _agent_info(app: Application, agent: PersistedAgent) -> AgentInfo:
    begun, report = agent.begun, agent.report
    return AgentInfo(
        agent_id=begun.agent_id,
        run_id=begun.run_id,
        name=begun.name,
        task=begun.task,
        model=begun.model,
        began_at=begun.at.isoformat(timespec="seconds"),
        running=app.runs.has_agent(begun.agent_id),
        findings=None if report is None else len(report.findings),
        partial="" if report is None else report.partial,
    )


@dataclass(frozen=True, slots=True)
class CompactRequest:
    """The session to compact."""

    session_id: str


async def compact_session(app: Application, request: CompactRequest) -> CompactAnswer:
    """Compact now. Raises `UsageError`, `UnknownSession` and `ModelError`."""
    async with app.runs.claim(request.session_id):
        session = await app.sessions.open(request.session_id)
        meter = session.meter(app.settings.limits, app.model)
        hooks = await session_hooks(app, session.id, session.reminders, app.port.tell)
        compactor = compactor_of(app, session, app.model, lambda _: None, hooks, "manual")
        made = await compactor.compact(meter)
        if isinstance(made, NoGain):
            raise UsageError(f"The conversation was not compacted: {made.why}. Go on with it.")
    return CompactAnswer(made.before, made.after, made.by_model)


@dataclass(frozen=True, slots=True)
class SummariseRequest:
    """The session to summarise."""

    session_id: str


async def summarise_session(app: Application, request: SummariseRequest) -> SummaryAnswer:
    """Summarise now. Raises `UsageError`, `UnknownSession` and `ModelError`."""
    async with app.runs.claim(request.session_id):
        session = await app.sessions.open(request.session_id)
        if not session.conversation.messages:
            raise UsageError("Nothing was said in this session yet; ask something first.")
        await app.ledger.cores.load(session.id, app.port.tell)
        by_model = await app.summaries.make(session)
    summary = app.ledger.cores.of(session.id).session_summary
    return SummaryAnswer(
        session.id,
        summary.main_topics,
        summary.key_conclusions,
        summary.unresolved_questions,
        by_model,
    )
