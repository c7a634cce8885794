"""What the model is told besides the question: before it, and with the results of its calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from glossator.application import Application, WorkspaceNow
from glossator.core.attached import Attached, Exhibit
from glossator.core.document import text_hash
from glossator.core.events import Notice, Steered
from glossator.core.images import Image
from glossator.core.looks import look
from glossator.core.prompts import load_prompt
from glossator.customizations import Customizations
from glossator.llm import user_message
from glossator.permissions import how_to_trust
from glossator.sessions import Run, Session
from glossator.turn.told.changes import (
    describe_changes,
    files_undone,
    mark_undos_seen,
    undo_reminder,
)
from glossator.turn.told.customizations import customization_notices, customizations_now
from glossator.turn.told.editor import editor_state
from glossator.turn.told.facts import established, established_again
from glossator.turn.told.instruction_files import further_news, new_instructions, not_seen_notice
from glossator.turn.told.opening import LeftOut, Opening, Unobeyed, left_out, opening_of, unobeyed
from glossator.turn.told.part import AT_LAST, Telling, ToldPart, gathered, in_time
from glossator.turn.told.recall import Recall

_ADOPTABLE = (
    "Nothing of this runs until you adopt it: {} of this workspace. `glossator mcp` and `glossator"
    " hooks` list them."
)
_UNTRUSTED = "beganUntrusted"  # whether the conversation lacks what only trust lets in


@dataclass(frozen=True, slots=True)
class SaidWords:
    """A question, or what the user said while it was answered, and what is attached to it."""

    text: str
    attached: tuple[Attached | Exhibit, ...] = ()


async def open_conversation(app: Application, session: Session, run: Run) -> Opening | None:
    """Freeze the prompt of a conversation that has none, and give it."""
    whole = app.settings.retrieval.whole_tokens > 0
    if session.system and (not whole or session.conversation.messages):
        return None
    opening = await opening_of(app)
    opening.freeze(session)
    for notice in (*opening.notices, not_seen_notice(session, opening.instructions)):
        if notice:
            run.emit(Notice(notice))
    return opening


async def say_question(
    app: Application,
    session: Session,
    run: Run,
    recall: Recall,
    words: Sequence[SaidWords],
    opened: Opening | None,
) -> None:
    """Append the question to the conversation, after all that the model is told with it.

    It is the first of the `words`; the others were said when it was asked before. To tell the model
    more, add a `ToldPart`; to tell it again after a compaction, one in `news`, too. What counts as
    told is only known to have been told when the message is there, so nothing is awaited after the
    parts were gathered.
    """
    begins, tell = not session.conversation.messages, run.tell
    attached = [item for each in words for item in each.attached]
    paths = [item.document.path for item in attached if isinstance(item, Attached)]
    is_as_opened = opened is not None and not paths and not session.reads.paths()
    described, now = opened.described if opened else None, app.now()
    if not begins:
        await _tell_trusted(app, now, session, run)
    elif opened is not None:
        await _tell_left_out(app, now, session, run, opened.left_out)
    else:
        described = await _described(app, now, run)
        found = await in_time("Notices on trust", lambda: unobeyed(app, now), Unobeyed(), tell)
        await _tell_left_out(app, now, session, run, left_out(app, now, described, found))
    parts = (  # in the order of the message
        ToldPart("Lists", partial(_lists, app, session, described)),
        ToldPart(
            "Instruction files",
            _nothing if is_as_opened else partial(new_instructions, app, now, session, run, paths),
        ),
        ToldPart(AT_LAST, partial(_changes, app, session)),
        ToldPart("Memories", recall.at_once),
        ToldPart("Facts about the editor", partial(editor_state, app, now, session)),
        ToldPart("Facts of git", partial(_remind_of_git, app, session)),
        ToldPart(AT_LAST, partial(_waiting, app, session)),
        ToldPart("Facts", partial(established, app, session, run, words[0].text)),
    )
    tellings = await gathered(parts, tell)
    told = (text for telling in tellings for text in telling.texts)
    said = (part for each in words for part in _parts(session, each))
    session.conversation.append(user_message(*told, *said))
    for telling in tellings:
        telling.sent()


def say_steered(session: Session, run: Run) -> tuple[str | Image, ...]:
    """What the user said while the run was on, for the message that is being made."""
    said: list[str | Image] = []
    for words in run.steering.take():
        run.emit(Steered(words.text, tuple(each.item for each in words.attached)))
        said += _parts(session, SaidWords(words.text, words.attached))
    return tuple(said)


def _parts(session: Session, words: SaidWords) -> Iterator[str | Image]:
    """Of a message: what is attached stands before the words."""
    for item in words.attached:
        yield from _shown(session, item)
    yield words.text


async def news(app: Application, session: Session, run: Run, recall: Recall) -> str:
    """What changed in files that were read, and the instruction files that came into play.

    Also facts that hold no more. After a compaction, what it took of the lists of skills and
    sub-agents, the memories, the facts, and what git says.
    """
    parts = (  # in the order of the reminders
        ToldPart("Instruction files", partial(further_news, app, session, run)),
        ToldPart("Memories", recall.again),
        ToldPart("Facts", partial(established_again, app, session, run)),
        ToldPart("Lists", partial(_lists, app, session, None)),
    )
    for telling in await gathered(parts, run.tell):
        session.reminders.add(*telling.texts, sent=telling.sent)
    await _remind_of_git(app, session)
    return await describe_changes(app, session)


async def _nothing() -> Telling:
    return Telling()


async def _lists(app: Application, session: Session, found: Customizations | None) -> Telling:
    return Telling(await customization_notices(app, session, found))


async def _changes(app: Application, session: Session) -> Telling:
    """What became of files and of the last question since the conversation went on."""
    abandoned = load_prompt("user/abandoned").render() if session.conversation.unanswered else ""
    taken_back = undo_reminder(app, session)  # first: `describe_changes` forgets what was read
    changed = await describe_changes(app, session, files_undone(app, session))
    return Telling((abandoned, taken_back, changed), partial(mark_undos_seen, app, session))


async def _waiting(app: Application, session: Session) -> Telling:
    """The mode, what came too late for the last message, and news of MCP servers; never waits."""
    later = (*app.acting.of(session).reminders(), *session.reminders.take())
    return Telling((*later, *app.mcp_news(session)))


async def _described(app: Application, now: WorkspaceNow, run: Run) -> Customizations:
    return await in_time(
        "Sub-agents and skills", lambda: customizations_now(app, now), Customizations(), run.tell
    )


async def _remind_of_git(app: Application, session: Session) -> Telling:
    """Of what git says, unless the conversation was told: it began without trust, or was compacted.

    It is among what `_waiting` tells; what git says only after a moment, when the model can be
    asked, goes with the next message.
    """
    if not _has_git(session):
        told = await app.git.soon(session.reminders.add, app.model.prepare)
        session.reminders.add(told)
    return Telling()


def _has_git(session: Session) -> bool:
    return session.conversation.was_told(load_prompt("user/git").opening)


async def _tell_left_out(
    app: Application, now: WorkspaceNow, session: Session, run: Run, found: LeftOut
) -> None:
    """Tell the user what the workspace asks for that is not obeyed; what waits, only once."""
    if not now.trusted:
        session.keep(_UNTRUSTED, True)
    if found.proposed:
        told = _ADOPTABLE.format(", ".join(found.proposed))
        if await look(app.told_once.is_new, "adoptions", told):
            run.emit(Notice(told, "adoptions"))
    if not found.untrusted:
        return
    if app.acting.trust.said is False:
        how = "Trust the workspace in the editor to have them obeyed."
    else:
        how = " ".join(map(how_to_trust, now.snapshot.roots))
    names = ", ".join(found.untrusted)
    run.emit(Notice(f"Left out, because this workspace is not trusted: {names}. {how}"))


async def _tell_trusted(app: Application, now: WorkspaceNow, session: Session, run: Run) -> None:
    """The workspace may have been trusted since the conversation began, or was asked last.

    What can still come does: instruction files, git, and the tools of MCP servers. The user is told
    what cannot, as the tools of a conversation do not change.
    """
    if not now.trusted or session.kept(_UNTRUSTED)[-1:] != [True]:
        return
    session.keep(_UNTRUSTED, False)
    described = await _described(app, now, run)
    if described.agents or any(skill.by_model for skill in described.skills.values()):
        run.emit(
            Notice(
                "The workspace is trusted now. The model gets its sub-agents and skills in a new"
                " conversation; all else counts from here on."
            )
        )


def _shown(session: Session, item: Attached | Exhibit) -> tuple[str | Image, ...]:
    """The parts of the message; a folder's listing that was sent before is not repeated."""
    reads = session.reads
    if isinstance(item, Attached):
        reads.show([item.span])
        reads.saw(item.document)
        return item.parts
    reads.mark_citable(item.citable)
    if not item.images and item.uri is not None:
        sha256, asked = text_hash(item.text), (1, None)
        if reads.unchanged(item.uri, asked, sha256):
            return (load_prompt("user/folder_again").render(path=item.name),)
        reads.remember(item.uri, asked, sha256)
    return item.parts
