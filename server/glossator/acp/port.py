"""The client as the `EditorPort` of its runs: what it shows, and what it and its user answer.

What a client is shown goes through one queue, so that updates keep their order and come before the
answer to the prompt. A question is put to the user by `session/request_permission`, which every
client has; one that nobody can be asked is refused, and the model is told that nobody was asked.
A client that shows forms (`elicitation/create`) lets the user choose several options, and answer in
words of their own. What allows something is never asked so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from acp import schema
from acp.interfaces import Client

from glossator.acp.blocks import Block, diffs, fenced, previews, prose
from glossator.acp.outbox import FAILURES, Outbox
from glossator.acp.texts import ClientTexts
from glossator.acp.updates import Updates, aside, kind_of, locating, progress, title_of
from glossator.core.edit import EditPlan, Hunk
from glossator.core.errors import UsageError
from glossator.core.events import Envelope, RunStarted, ToolStarted
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.core.ports import NotApplied, Review
from glossator.core.question import Question, QuestionAnswer, asker, calling_id
from glossator.core.shown import shown, shown_prose
from glossator.core.silent_port import SilentPort
from glossator.core.words import CHOICES, Act
from glossator.workspace import Roots

_log = logging.getLogger(__name__)

_KINDS: dict[Choice, schema.PermissionOptionKind] = {
    Choice.ONCE: "allow_once",
    Choice.SESSION: "allow_always",
    Choice.ALWAYS: "allow_always",
    Choice.DENY: "reject_once",
}
_SHOW_NO_FILE_LINKS = frozenset({"toad"})  # clients that show the Markdown of such a link
_CHOICE, _WORDS = "choice", "words"  # the fields of a form
_MOST_WORDS = 10_000  # characters of the user's own words
_TITLE_CHARACTERS = 300  # some clients show no more of a question than its title
_UNASKED = (
    "The client could not ask the user, so this is not allowed.\nDo without it, and say in your"
    " answer what was left undone."
)
_NOT_SHOWN = "the client could not show the edit to the user. Tell the user what was to be changed."


class AcpPort(SilentPort):
    """The `EditorPort` for the sessions of one workspace."""

    def __init__(
        self,
        client: Client,
        outbox: Outbox,
        texts: ClientTexts,
        name: str,
        folders: Callable[[], Roots],
        *,
        shows_forms: bool = False,
    ) -> None:
        """`name` is the client's, `folders` are those of its workspace."""
        self._shows_forms = shows_forms
        self._folders = folders
        self._client = client
        self._outbox = outbox
        self.texts = texts
        self._name = name
        self._sessions: dict[str, str] = {}  # run id -> session id
        self._updates: dict[str, Updates] = {}

    def updates(self, session_id: str) -> Updates:
        """What turns the events of a session into updates."""
        if session_id not in self._updates:
            self._updates[session_id] = self._new_updates()
        return self._updates[session_id]

    def _new_updates(self) -> Updates:
        client = self._name.partition(" ")[0]
        return Updates(locating(self._folders), links=client not in _SHOW_NO_FILE_LINKS)

    def _asking(self) -> str:
        """The session that is at work here, else the newest one; "" if there is none."""
        return asker().session_id or next(reversed(self._updates), "")

    def _call(self, session_id: str) -> ToolStarted | None:
        """The call that asks; None where none does, or the client was told that it has ended."""
        return self.updates(session_id).open_calls.get(calling_id())

    def emit(self, envelope: Envelope) -> None:
        """Show it in its session."""
        if isinstance(envelope.event, RunStarted):
            self._sessions[envelope.run_id] = envelope.event.session_id
        if (session_id := self._sessions.get(envelope.run_id)) is None:
            return
        for update in self.updates(session_id).of(envelope.event):
            self._outbox.put(session_id, update)

    def replay(self, session_id: str, envelopes: Sequence[Envelope]) -> None:
        """Show a session again from its beginning."""
        updates = self._updates[session_id] = self._new_updates()
        for each in envelopes:
            for update in updates.of(each.event, again=True):
                self._outbox.put(session_id, update)

    def tell(self, message: str) -> None:
        """Say it in the session that is at work, or in the newest one."""
        if session_id := self._asking():
            self._outbox.put(session_id, aside(message))
        else:
            _log.warning("%s", message)

    @property
    def editor(self) -> str:
        """The name that the client gave itself."""
        return self._name

    @property
    def tells_typing(self) -> bool:
        """The client gives texts when it is asked."""
        return False

    async def take_typing(self, paths: Sequence[str]) -> None:
        """Take over what is typed into these files and not saved."""
        await self.texts.look(asker().session_id, paths)

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask the user, with the whole command or change in sight."""
        options = [
            schema.PermissionOption(option_id=choice.value, name=CHOICES[choice], kind=kind)
            for choice, kind in _KINDS.items()
            if choice in request.choices
        ]
        about = _asked_about(request, self.texts.text_of)
        chosen = await self._choose(_title(request), kind_of(request.tool), about, options)
        if chosen is None:
            return PermissionAnswer(Choice.DENY, _UNASKED, asked=False)
        return PermissionAnswer(Choice(chosen) if chosen else Choice.DENY)

    async def ask_user(self, question: Question) -> QuestionAnswer:
        """Have the user answer by a form, or choose one of the options.

        Where the client shows no forms, words of their own come with the next prompt.
        """
        if self._shows_forms and not (question.refusal or question.draft):
            return await self._ask_by_form(question)
        title, rest = " ".join(question.text.split()), ""
        if len(title) > _TITLE_CHARACTERS:
            title, _, rest = question.text.strip().partition("\n")
        details = "\n".join(
            f"- {each.label}: {each.detail}" for each in question.options if each.detail
        )
        text = "\n\n".join(filter(None, (rest.strip(), details, question.draft)))
        options = [
            schema.PermissionOption(
                option_id=each.label,
                name=each.label,
                kind="reject_once" if each.label == question.refusal else "allow_once",
            )
            for each in question.options
        ]
        if not options:
            return QuestionAnswer()
        about = [prose(text)] if text else []
        chosen = await self._choose(shown_prose(title), "other", about, options)
        return QuestionAnswer((chosen,)) if chosen else QuestionAnswer()

    async def _ask_by_form(self, question: Question) -> QuestionAnswer:
        session_id = self._asking()
        call = self._call(session_id)
        form = form_of(question, session_id, call.call_id if call else None)
        await self._outbox.sent()  # the client knows the call before it is asked about it
        try:
            reply = await self._client.create_elicitation(shown_prose(question.text), form)
        except FAILURES as failure:
            _log.warning("The client did not ask the user: %s", failure)
            return QuestionAnswer()
        return answer_of(question, reply)

    async def review(self, plan: EditPlan) -> Review | None:
        """Have the user take an edit or leave it, by its diff. Raises `UsageError`."""
        options = [
            schema.PermissionOption(option_id="apply", name=Act.ACCEPT, kind="allow_once"),
            schema.PermissionOption(option_id="reject", name=Act.REJECT, kind="reject_once"),
        ]
        chosen = await self._choose(shown_prose(f"{plan.label}?"), "edit", diffs(plan), options)
        if chosen is None:
            raise UsageError(_NOT_SHOWN)
        kept: tuple[Hunk, ...] = plan.hunks if chosen == "apply" else ()
        return Review(tuple(hunk.id for hunk in kept))

    async def _choose(
        self,
        title: str,
        kind: schema.ToolKind,
        about: list[Block],
        options: list[schema.PermissionOption],
    ) -> str | None:
        """The option that the user chose; "" if they did not, or one unknown; None if not asked.

        What is asked about outside of a call is shown as a call of its own.
        """
        session_id = self._asking()
        updates, call = self.updates(session_id), self._call(session_id)
        call_id = call.call_id if call else uuid4().hex
        asked: dict[str, Any] = {
            "tool_call_id": call_id,
            "title": title,
            "kind": kind,
            "status": "pending",
            "content": about,
        }
        if call is None:
            start = schema.ToolCallStart(session_update="tool_call", **asked)
            self._outbox.put(session_id, start)
        else:
            asked |= {
                "raw_input": call.arguments,
                "locations": updates.locations(call.arguments),
            }
        await self._outbox.sent()  # the client knows the call before it is asked about it
        chosen, known = "", {each.option_id for each in options}
        try:
            question = schema.ToolCallUpdate(**asked)
            reply = await self._client.request_permission(session_id, question, options)
            chosen = getattr(reply.outcome, "option_id", "")
        except FAILURES as failure:
            _log.warning("The client did not ask the user: %s", failure)
            return None
        finally:
            if call is None:
                status = "completed" if chosen in known else "failed"
                self._outbox.put(session_id, progress(call_id, status=status))
        if (going_on := updates.open_calls.get(call_id)) is not None:  # shown as the question
            title, kind = title_of(going_on), kind_of(going_on.tool)
            again = progress(call_id, title=title, kind=kind, status="in_progress")
            self._outbox.put(session_id, again)
        return chosen if chosen in known else ""

    async def apply_edit(self, plan: EditPlan, *, confirm: bool) -> NotApplied | None:  # noqa: ARG002 - `review` has asked
        """Have the client write the texts, if it can."""
        return await self.texts.write(asker().session_id, plan)


def _title(request: PermissionRequest) -> str:
    """Of a command all that was sent of it, as some clients show nothing else."""
    if kind_of(request.tool) != "execute":
        return shown_prose(request.title)
    return shown(request.detail) + ("…" if request.cut else "")


def _asked_about(request: PermissionRequest, text_of: Callable[[str], str]) -> list[Block]:
    """The diff of an edit; of anything else the command or the change, and why it is asked."""
    found: list[Block] = []
    if request.plan is not None:
        found += previews(request.plan, text_of)
    elif request.detail:
        cut = request.cut
        rest = f"\n… {cut.bytes:,} more bytes\n{cut.tail}" if cut else ""
        found.append(fenced(request.detail + rest))
    if request.reasons:
        found.append(prose("\n".join(f"- {each}" for each in request.reasons)))
    return found


def form_of(question: Question, session_id: str, call_id: str | None) -> Any:  # noqa: ANN401 - one of the SDK's union
    """The options, of which one or several may be chosen, and a line for other words."""
    options = [
        schema.EnumOption(const=each.label, title=each.label, description=each.detail or None)
        for each in question.options
    ]
    words = schema.ElicitationStringPropertySchema(
        type="string",
        title="In other words" if options else "Your answer",
        max_length=_MOST_WORDS,
    )
    choice: Any = schema.ElicitationStringPropertySchema(
        type="string", title="Choose", one_of=options
    )
    if question.several:
        items = schema.TitledMultiSelectItems(any_of=options)
        choice = schema.ElicitationMultiSelectPropertySchema(
            type="array", title="Choose", items=items
        )
    properties = {_CHOICE: choice, _WORDS: words} if options else {_WORDS: words}
    return schema.ElicitationFormSessionMode(
        session_id=session_id,
        tool_call_id=call_id,
        requested_schema=schema.ElicitationSchema(
            type="object", properties=properties, required=None if options else [_WORDS]
        ),
    )


def answer_of(question: Question, response: object) -> QuestionAnswer:
    """What the user chose and said; nothing if they declined. What was no option is left out."""
    if not isinstance(response, schema.AcceptElicitationResponse):
        return QuestionAnswer()
    given = response.content or {}
    choice, words = given.get(_CHOICE), given.get(_WORDS)
    said = choice if isinstance(choice, list) else [choice]
    labels = {each.label for each in question.options}
    chosen = tuple(dict.fromkeys(each for each in said if isinstance(each, str) and each in labels))
    return QuestionAnswer(
        chosen if question.several else chosen[:1],
        words.strip()[:_MOST_WORDS] if isinstance(words, str) else "",
    )
