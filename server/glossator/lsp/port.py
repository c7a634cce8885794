"""The client as the `EditorPort` of a run: what it shows, and what it and its user answer.

A client that knows our requests gets them; any other is shown messages with buttons, and applies
edits by the standard alone.

A box with buttons may take the keyboard: Neovim reads a number, Eglot begins with the first
button's text, Helix marks the first button. Keys that were meant for the text then answer it. So a
box waits until typing has paused; its first button allows nothing, and neither does closing it;
what another button allows is confirmed in a second box, where it has another number. See
docs/decisions/0060.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import CodeAnswer, CodeQuestion
from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileRename
from glossator.core.errors import UsageError
from glossator.core.events import Envelope, TurnsUndone
from glossator.core.permission import Choice, PermissionAnswer, PermissionRequest
from glossator.core.plan_on_disk import write_files
from glossator.core.ports import (
    Activity,
    NotApplied,
    Review,
    ShownState,
    TerminalTold,
)
from glossator.core.question import Question, QuestionAnswer, asker
from glossator.core.run_events import JobsChanged, SessionNow, UnsavedFiles
from glossator.core.text import count_units
from glossator.core.wire import WireError, from_wire, to_wire
from glossator.core.words import CHOICES, Act
from glossator.lsp.edits import bases_told, is_closed, is_misread, workspace_edit
from glossator.lsp.protocol import Protocol
from glossator.lsp.reports import (
    fits_a_message,
    plan_message,
    question_message,
    report_folder,
    request_file_text,
    request_message,
    show_request_file,
    with_session_title,
)

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.progress import ProgressBar, ProgressBars
    from glossator.lsp.protocol import Protocol
    from glossator.workspace import WorkspaceHost


T = TypeVar("T")

EVENT = "glossator/event"
_STATES = {
    TurnsUndone: "glossator/undone",
    JobsChanged: "glossator/jobs",
    UnsavedFiles: "glossator/unsaved",
    SessionNow: "glossator/session",
}
QUESTION = "glossator/question"
PERMISSION = "glossator/permission"
REVIEW = "glossator/review"
DIAGNOSTICS = "glossator/diagnostics"
SAVE = "glossator/saveDocuments"
CODE = "glossator/code"
TERMINAL = "glossator/terminal"
CONTEXT_CHANGED = "glossator/contextChanged"

_TOGETHER_SECONDS = 0.2  # changes of the context within this time are told once
_LATE_SECONDS = 2.0  # after which a client that should have answered is not waited for
_APPLY_SECONDS = 20.0  # for an edit that the user is not asked about
_MOVE_SECONDS = 120.0  # for a move: other servers change imports, and may ask the user
_OPEN_SECONDS = 60.0  # editors ask the user before they open an address
_SAVE_SECONDS = 20.0  # editors format as they save
_NO_UNICODE = (
    "a file in it is no Unicode, so the editor may misread it. Edit that file by itself, closed in"
    " the editor"
)
_NO_ANSWER = (
    "the editor did not answer within {:g} s, and may still do so: look at the file again before"
    " you rely on it"
)
_EGLOT_BEHIND = (
    "require version"  # Eglot's error for a text that was typed in; older ones send no name
)
_ALL, _ALL_SENT = "All of it", "All but the middle of it, which is too long"
_NOT_WRITTEN = (
    "The whole could not be written to {} ({}). Refuse this, check the disk's room and the folder's"
    " permissions, and ask again."
)
_UNASKED = (
    "The editor could not ask the user, so this is not allowed.\nDo without it, and say in your"
    " answer what was left undone."
)
_FAILURES = (JsonRpcException, WireError)

_log = logging.getLogger(__name__)


class ClientPort:
    """Implements `EditorPort`; to be called from the event loop's thread."""

    def __init__(
        self,
        protocol: Protocol,
        client: Client,
        bars: ProgressBars,
        host_of: Callable[[str], WorkspaceHost],
    ) -> None:
        """`host_of` gives the workspace of a path, once the client asks for anything."""
        self._protocol = protocol
        self._client = client
        self._all_bars = bars
        self._host_of = host_of
        self._says_context = False
        self.buttons = Buttons(protocol)
        self.bars: dict[str, ProgressBar] = {}  # run id -> the progress bar of its request

    def emit(self, envelope: Envelope) -> None:
        """Send the event, show it in the run's progress bar, or both."""
        if self._client.events:
            self._protocol.notify_plain(EVENT, to_wire(envelope))
        if bar := self.bars.get(envelope.run_id):
            bar.show(envelope.event)

    def show(self, state: ShownState) -> None:
        """Send it to clients that want events."""
        if self._client.events:
            self._protocol.notify_plain(_STATES[type(state)], to_wire(state))

    def context_changed(self) -> None:
        """Tell clients that want events, once for all changes of the same moment."""
        if self._client.events and not self._says_context:
            self._says_context = True
            asyncio.get_running_loop().call_later(_TOGETHER_SECONDS, self._say_context)

    def _say_context(self) -> None:
        self._says_context = False
        self._protocol.notify_plain(CONTEXT_CHANGED, {})

    def tell(self, message: str) -> None:
        """Show the user a message."""
        params = types.ShowMessageParams(types.MessageType.Info, message)
        self._protocol.notify(types.WINDOW_SHOW_MESSAGE, params)

    def begin(self, title: str, cancel: Callable[[], object]) -> Activity:
        """Show a progress bar, if the client has them."""
        if not self._client.progress:
            return _Unseen()
        return self._all_bars.background(title, cancel)

    @property
    def editor(self) -> str:
        """The name that the client gave itself."""
        return f"{self._client.name} {self._client.version}".strip()

    @property
    def leaves(self) -> bool:
        """Whether the client said so."""
        return self._client.leaves

    @property
    def tells_diagnostics(self) -> bool:
        """Whether the client said so."""
        return self._client.diagnostics

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """The diagnostics of the client's other servers."""
        if not self._client.diagnostics:
            return None
        request = {"files": to_wire(wanted), "seconds": seconds}
        late = seconds + _LATE_SECONDS
        told = await self._told(_DiagnosticsAnswer, DIAGNOSTICS, request, late)
        return None if told is None else told.files

    @property
    def tells_code(self) -> bool:
        """Whether the client said so."""
        return self._client.code

    async def code(self, question: CodeQuestion, seconds: float) -> CodeAnswer | None:
        """What the client's other servers know of a name."""
        encoding = self._client.encoding
        request = {
            "kind": question.kind,
            "uri": question.uri,
            "line": question.line,
            "character": count_units(question.before, encoding),
            "newName": question.new_name,
            "version": question.version,
        }
        told = await self._told(CodeAnswer, CODE, request, seconds)
        return None if told is None else replace(told, encoding=encoding)

    @property
    def tells_terminal(self) -> bool:
        """Whether the client said so."""
        return self._client.terminal

    async def terminal(self, seconds: float) -> TerminalTold | None:
        """The end of the output of the client's active terminal."""
        return await self._told(TerminalTold, TERMINAL, {}, seconds)

    @property
    def tells_typing(self) -> bool:
        """LSP's clients do."""
        return True

    async def take_typing(self, paths: Sequence[str]) -> None:
        """Nothing: the client has told it."""

    async def open_address(self, url: str) -> None:
        """Have the client open it outside of the editor."""
        if not await self._was_opened(url):
            self.tell(f"Open this address in your browser: {url}")

    async def _was_opened(self, url: str) -> bool:
        if not self._client.show_document:
            return False
        params = types.ShowDocumentParams(uri=url, external=True)
        try:
            async with asyncio.timeout(_OPEN_SECONDS):
                reply = await self._protocol.ask(types.WINDOW_SHOW_DOCUMENT, params)
        except (JsonRpcException, TimeoutError) as failure:
            _log.warning("The client opened no browser: %r", failure)
            return False
        return bool(reply.success)

    async def ask_user(self, question: Question) -> QuestionAnswer:
        """Ask the user, and wait for as long as it takes."""
        try:
            if not self._client.questions:
                return await self.buttons.answer(question)
            reply = await self._protocol.ask(QUESTION, to_wire(question) | to_wire(asker()))
            answer: QuestionAnswer = from_wire(QuestionAnswer, reply or {})
        except _FAILURES as failure:
            _log.warning("The client did not put a question to the user: %s", failure)
            return QuestionAnswer()
        if not set(answer.chosen).issubset(option.label for option in question.options):
            _log.warning("The client answers a question with what was not on offer: %s", reply)
            return QuestionAnswer()
        return answer

    async def ask_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask the user, and wait for as long as it takes; no answer is a denial."""
        try:
            if self._client.permissions:
                choices = {"choices": to_wire(request.choices)}
                wire = to_wire(request) | choices | to_wire(asker())
                reply = await self._protocol.ask(PERMISSION, wire)
                answer: PermissionAnswer = from_wire(PermissionAnswer, reply or {"choice": "deny"})
            else:
                allowing = [CHOICES[each] for each in request.choices if each is not Choice.DENY]
                whole = "" if fits_a_message(request) else await self._shown_whole(request)
                text = request_message(request, whole)
                pressed = await self.buttons.allow(text, CHOICES[Choice.DENY], allowing)
                chosen = next((c for c, name in CHOICES.items() if name == pressed), Choice.DENY)
                answer = PermissionAnswer(chosen)
        except _FAILURES as failure:
            _log.warning("The client did not ask for a permission: %s", failure)
            return PermissionAnswer(Choice.DENY, _UNASKED, asked=False)
        return answer if request.offers(answer) else PermissionAnswer(Choice.DENY)

    async def review(self, plan: EditPlan) -> Review | None:
        """The hunks to apply; by all or nothing where the client can do no better.

        Raises `UsageError` when the user could not be asked.
        """
        edits = self._client.edits
        try:
            if self._client.reviews:
                reply = await self._protocol.ask(REVIEW, to_wire(plan) | to_wire(asker()))
                answer: Review = from_wire(Review, reply or {"accepted": []})
                if not answer.asked:
                    raise UsageError(answer.message)
                return answer
            if edits.confirms(plan):
                return None
            pressed = await self.buttons.allow(plan_message(plan), Act.REJECT, [Act.ACCEPT])
        except _FAILURES as failure:
            _log.warning("The client did not review an edit: %s", failure)
            raise UsageError(
                "the editor could not show the edit to the user. Tell the user what was to be"
                " changed."
            ) from failure
        kept = plan.hunks if pressed == Act.ACCEPT else ()
        return Review(tuple(hunk.id for hunk in kept))

    @property
    def edits_blindly(self) -> bool:
        """Whether the client checks no version, or sends what is typed only later."""
        return self._client.edits.late or not self._client.edits.versioned

    async def apply_edit(self, plan: EditPlan, *, confirm: bool) -> NotApplied | None:
        """Have the client apply the plan; what it cannot create or save is written here."""
        support, encoding = self._client.edits, self._client.encoding
        host = self._host_of(plan.files[0].path)
        misread = is_misread(plan, host.encoding_of)
        is_ours = is_closed(plan) and support.applies and (misread or not self._client.saves)
        if (is_ours or support.lacks_creation(plan)) and not confirm:
            problem = await asyncio.to_thread(write_files, plan, host.roots)
            return None if problem is None else NotApplied(problem)
        if missing := _NO_UNICODE if misread else support.missing(plan):
            return NotApplied(missing)
        edit = workspace_edit(plan, support, encoding, confirm=confirm)
        params: dict[str, Any] = {"label": plan.label, "edit": edit}
        if self._client.events:  # Eglot fails on what it does not know
            params["glossator"] = bases_told(plan)
        moves = any(isinstance(change, FileRename) for change in plan.files)
        seconds = _MOVE_SECONDS if moves else _APPLY_SECONDS
        try:
            async with asyncio.timeout(None if confirm else seconds):
                result = await self._protocol.ask(types.WORKSPACE_APPLY_EDIT, params)
        except JsonRpcException as failure:
            return NotApplied(failure.message, behind=_EGLOT_BEHIND in failure.message.lower())
        except TimeoutError:
            return NotApplied(_NO_ANSWER.format(seconds))
        if result.applied:
            return None
        declined = ", or the user declined it" if confirm else ""
        return NotApplied(result.failure_reason or f"the editor did not apply the edit{declined}")

    @property
    def saves(self) -> bool:
        """Whether the client said so."""
        return self._client.saves

    async def save(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Have the client save them; gives those that it says it saved."""
        wanted = [{"uri": each.uri, "version": each.version} for each in documents]
        told = await self._told(_SaveAnswer, SAVE, {"documents": wanted}, _SAVE_SECONDS)
        return tuple(each for each in documents if told is not None and each.uri in told.saved)

    async def _told(
        self, kind: type[T], method: str, request: dict[str, Any], seconds: float
    ) -> T | None:
        """The client's answer; None if there is none, it is late or has another form."""
        try:
            async with asyncio.timeout(seconds):
                answer = await self._protocol.ask(method, request)
            return None if answer is None else from_wire(kind, answer)
        except (*_FAILURES, TimeoutError) as failure:
            _log.warning("The client did not answer %s: %r", method, failure)
            return None

    async def _shown_whole(self, request: PermissionRequest) -> str:
        """Have the client show the whole request as a file; gives a line that names the file."""
        try:
            path = await show_request_file(self._protocol, self._client, request_file_text(request))
        except OSError as error:
            _log.warning("What is asked about could not be written to a file: %s", error)
            return _NOT_WRITTEN.format(report_folder(), error.strerror)
        return f"{_ALL if request.cut is None else _ALL_SENT}: {path}"


@dataclass(frozen=True, slots=True)
class _DiagnosticsAnswer:
    files: tuple[FileDiagnostics, ...]


@dataclass(frozen=True, slots=True)
class _SaveAnswer:
    saved: tuple[str, ...]


class _Unseen:
    """Work that the client has no way to show."""

    def report(self, message: str, percentage: int) -> None:
        """Nothing to show it in."""

    def end(self) -> None:
        """Nothing to take away."""


PAUSE_SECONDS = 1.0  # without a change; Eglot collects what is typed for 0.5 s
_NOTHING, _BACK = "No answer", "Back to the question"
_SURE = "Confirm it, so that no key that was meant for your text allows it."


class Buttons:
    """Boxes of one client; `typed` is to be called with each change of a document."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._last_key = -PAUSE_SECONDS  # or what may have been one; of the monotonic clock

    def typed(self) -> None:
        """The user may be typing."""
        self._last_key = time.monotonic()

    async def press(self, text: str, labels: Sequence[str]) -> str | None:
        """The button that the user pressed, if any. Raises `JsonRpcException`."""
        while (left := self._last_key + PAUSE_SECONDS - time.monotonic()) > 0:  # noqa: ASYNC110 - time itself is waited for
            await asyncio.sleep(left)
        actions = [types.MessageActionItem(label) for label in labels]
        params = types.ShowMessageRequestParams(
            types.MessageType.Info, with_session_title(text), actions
        )
        pressed = await self._protocol.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        self.typed()
        return pressed.title if pressed and pressed.title in labels else None

    async def allow(self, text: str, refusal: str, labels: Sequence[str]) -> str | None:
        """Like `press`, but each of `labels` allows something and is confirmed in a second box."""
        ways = {f"{label}…": label for label in labels}
        while True:
            pressed = await self.press(text, (refusal, *ways))
            if pressed not in ways:
                return pressed
            label, title = ways[pressed], text.partition("\n")[0]
            others = (label, _BACK) if list(ways).index(pressed) == 1 else (_BACK, label)
            sure = await self.press(f"{label}: {title}\n{_SURE}", (refusal, *others))
            if sure != _BACK:
                return sure

    async def answer(self, question: Question) -> QuestionAnswer:
        """The option that the user chose, if any. Raises `JsonRpcException`."""
        text, refusal = question_message(question), question.refusal
        labels = [option.label for option in question.options if option.label != refusal]
        if refusal:
            pressed = await self.allow(text, refusal, labels)
        else:
            pressed = await self.press(text, (_NOTHING, *labels))
        return QuestionAnswer((pressed,)) if pressed and pressed != _NOTHING else QuestionAnswer()
