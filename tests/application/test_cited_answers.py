"""Citations after their run: their lines move, change, come back, go with a renamed file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from glossator.application.cited_answers import CITED_LINES, MOST_ANSWERS, AnswerKey
from glossator.commands.sessions import (
    DeleteSessionRequest,
    ResumeSessionRequest,
    delete_session,
    resume_session,
)
from glossator.commands.turns import RetryRequest, RewindRequest, retry, rewind
from glossator.core.document import Document
from glossator.core.events import CitationChecked, Envelope, RunFinished
from glossator.core.span import Basis, Citation, CitationStatus, CitationView, Span
from glossator.core.uri import to_uri
from glossator.sessions.session import Session
from glossator.workspace.documents.overlays import Edited, Opened, TextEdit
from tests.patience import until
from tests.sides import JUDGED, judging
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn

LINES = (
    '"""A client."""',
    "",
    "class Client:",
    "    def send(self, request):",
    "        self.open()",
    "        return self.encode(request)",
    "",
    "    def close(self):",
    "        self.line = None",
)
SEND, CLOSE = "[cite: doc, client.py, L4-L6]", "[cite: doc, client.py, L8-L9]"
ANSWER = (
    f"`send` calls `open`. {SEND} It waits a while. {SEND} `close` sets `line` to `None`. {CLOSE}"
)
TURNS = [Turn(ToolUse("Read", {"path": "client.py"})), Turn(Text(ANSWER))]
MISQUOTED = "Not judged: the model quoted words that are not in the lines."
SAYS = {
    "open": ("SUPPORTED", "self.open()"),
    "waits": ("SUPPORTED", "it sleeps"),  # which does not stand there
    "line": ("SUPPORTED", "self.line = None"),
}
AS_JUDGED = ["client.py:4-6 verified", "client.py:4-6 read", "client.py:8-9 verified"]
MOVED = [
    "client.py:4-6 verified moved to client.py:6",
    "client.py:4-6 read moved to client.py:6",
    "client.py:8-9 verified moved to client.py:10",
]

# What is kept of `answer_again`, as other versions read it.
KEPT_LINES = (
    '{"run": "RUN", "lines": [{"span": {"uri": "file://ROOT/client.py", "sha256": '
    '"6d97b880960d6ee158aa03c8b06526cdb49126b62e37474531c84aefd0cd4f21", "first_line": 5, '
    '"last_line": 5}, "was": "ROOT/client.py", "passage": {"path": "ROOT/client.py", '
    '"first_line": 5, "last_line": 5, "lines": ["e4e0e9e4d899"], "before": ["d55e1b343f85", '
    '"d071d79dbfdf", "ddd9c40767f9"], "after": ["9a6e6119012b", "ddd9c40767f9", '
    '"ff331ec77344"]}, "heads": [{"path": "ROOT/client.py", "first_line": 3, "last_line": 3, '
    '"lines": ["d071d79dbfdf"], "before": ["ddd9c40767f9", "f3f130dc9410"], "after": '
    '["d55e1b343f85", "e4e0e9e4d899", "9a6e6119012b"]}, {"path": "ROOT/client.py", '
    '"first_line": 4, "last_line": 4, "lines": ["d55e1b343f85"], "before": ["d071d79dbfdf", '
    '"ddd9c40767f9", "f3f130dc9410"], "after": ["e4e0e9e4d899", "9a6e6119012b", '
    '"ddd9c40767f9"]}]}]}'
)

pytestmark = pytest.mark.usefixtures("_own_state")


@pytest.fixture
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def changed(was: str, now: str) -> str:
    return text(*LINES).replace(was, now)


def described(citation: Citation) -> str:
    view = CitationView.of(citation)
    stands = f"{view.target}:{view.first_line}-{view.last_line}"
    match view.status:
        case CitationStatus.MOVED:
            by = "verified" if view.basis else "read"
            assert view.reason.startswith(("Its lines stand at ", "Its line stands at "))
            assert view.reason.endswith(" now.")
            return f"{stands} {by} moved to {Path(view.uri or '').name}:{view.moved_to}"
        case CitationStatus.STALE:
            assert view.reason == "Its lines have changed since."
            assert (view.basis, view.moved_to) == (None, None)
        case _:
            assert view.reason in ("", MISQUOTED)
            assert view.moved_to is None
    return f"{stands} {view.status.value}"


def cited(envelopes: list[Envelope] | tuple[Envelope, ...], run_id: str) -> list[Envelope]:
    """The events of a run's citations."""
    found = [each for each in envelopes if isinstance(each.event, CitationChecked)]
    return [each for each in found if each.run_id == run_id]


def as_told(envelopes: list[Envelope] | tuple[Envelope, ...], run_id: str) -> list[str]:
    """What a client knows of a run's citations: the newest for a place, in the order of places."""
    newest: dict[tuple[int, str], Citation] = {}
    for each in cited(envelopes, run_id):
        assert isinstance(each.event, CitationChecked)
        view = CitationView.of(each.event.citation)
        place = f"{view.target}:{view.first_line}-{view.last_line}"
        newest[view.at or 0, place] = each.event.citation
    return [described(newest[key]) for key in sorted(newest)]


class Answered:
    """A stage on which a question was answered, with the file open in the editor."""

    def __init__(self, s: Stage, session_id: str, run_id: str) -> None:
        self.s = s
        self.session_id = session_id
        self.run_id = run_id
        self._uri = to_uri(str(s.root / "client.py"))
        self._version = 1

    def type(self, whole: str) -> None:
        self._version += 1
        self.s.app.host.apply(Edited(self._uri, self._version, (TextEdit(None, whole),)))

    async def until(self, expected: list[str]) -> None:
        """Wait for what the client is to know."""
        try:
            await until(lambda: as_told(self.s.port.envelopes, self.run_id) == expected)
        except TimeoutError:
            assert as_told(self.s.port.envelopes, self.run_id) == expected

    @property
    def late(self) -> list[Envelope]:
        """The events of the run after its end."""
        of_run = [each for each in self.s.port.envelopes if each.run_id == self.run_id]
        end = next(n for n, each in enumerate(of_run) if isinstance(each.event, RunFinished))
        return of_run[end + 1 :]


@asynccontextmanager
async def answered(
    root: Path, script: Script = TURNS, files: dict[str, str] | None = None
) -> AsyncIterator[Answered]:
    files = files or {"client.py": text(*LINES)}
    async with stage(root, files, judging(script, **SAYS), JUDGED) as s:
        s.app.host.apply(Opened(to_uri(str(root / "client.py")), 1, text(*LINES)))
        answer = await s.ask("How does it send?")
        a = Answered(s, answer.session_id, answer.run_id)
        await s.app.anchors.settled()
        assert as_told(s.port.envelopes, a.run_id) == AS_JUDGED
        assert a.late == []
        yield a


async def test_lines_move_change_and_are_as_before(tmp_path: Path) -> None:
    async with answered(tmp_path / "ws") as a:
        a.type(text("# mine", "", *LINES))
        await a.until(MOVED)
        assert [each.seq for each in a.late] == [a.late[0].seq + n for n in range(3)]
        ends = [each.seq for each in a.s.port.envelopes if isinstance(each.event, RunFinished)]
        assert ends == [a.late[0].seq - 1]
        a.type(changed("self.open()", "self.begin()"))
        await a.until([*["client.py:4-6 stale"] * 2, AS_JUDGED[2]])
        a.type(text(*LINES))
        await a.until(AS_JUDGED)
        assert len(a.late) == 3 + 3 + 2, "only those that changed"


async def test_what_is_typed_elsewhere_says_nothing_new(tmp_path: Path) -> None:
    async with answered(tmp_path / "ws") as a:
        a.type(text(*LINES, "# the end"))
        await a.s.app.anchors.settled()
        a.type(changed("self.line = None", "self.line = 0"))
        await a.until([*AS_JUDGED[:2], "client.py:8-9 stale"])
        assert len(a.late) == 1


async def test_a_renamed_file_is_followed_also_after_a_restart(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    renamed = [each.replace("moved to client.py:6", "moved to peer.py:4") for each in MOVED]
    renamed[2] = renamed[2].replace("client.py:10", "peer.py:8")
    async with stage(root, {"client.py": text(*LINES)}, judging(TURNS, **SAYS), JUDGED) as s:
        answer = await s.ask("How does it send?")
        a = Answered(s, answer.session_id, answer.run_id)
        await s.app.anchors.settled()
        old, new = root / "client.py", root / "peer.py"
        old.rename(new)
        s.touched("client.py")
        s.touched("peer.py")
        s.app.renamed({str(old): str(new)})
        await a.until(renamed)
        last = a.late[-1].event
        assert isinstance(last, CitationChecked)
        assert last.citation.reason == "Its lines stand at peer.py:8-9 now."
    async with stage(root, {}, []) as s:
        found = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        assert as_told(found.events, answer.run_id) == renamed
        new.rename(old)
        s.touched("client.py")
        s.touched("peer.py")
        s.app.renamed({str(new): str(old)})
        again = Answered(s, answer.session_id, answer.run_id)
        await until(lambda: as_told(s.port.envelopes, again.run_id) == AS_JUDGED)


async def test_a_session_that_is_shown_again_tells_how_its_citations_stand_now(
    tmp_path: Path,
) -> None:
    root = tmp_path / "ws"
    async with answered(root) as a:
        pass
    (root / "client.py").write_text(text("# mine", "", *LINES).replace("line = None", "line = 0"))
    async with stage(root, {}, []) as s:
        found = await resume_session(s.app, ResumeSessionRequest(a.session_id))
        assert as_told(found.events, a.run_id) == [*MOVED[:2], "client.py:8-9 stale"]
        assert s.port.envelopes == []
        (root / "client.py").write_text(text(*LINES))
        s.touched("client.py")
        await until(lambda: as_told(s.port.envelopes, a.run_id) == AS_JUDGED)
        last = max(each.seq for each in found.events if each.run_id == a.run_id)
        assert [each.seq for each in s.port.envelopes] == [last + n for n in (1, 2, 3)]
        again = await resume_session(s.app, ResumeSessionRequest(a.session_id))
        assert as_told(again.events, a.run_id) == AS_JUDGED, "the log is as it was"


async def _delete(a: Answered) -> None:
    await delete_session(a.s.app, DeleteSessionRequest(a.session_id))


async def _rewind(a: Answered) -> None:
    await rewind(a.s.app, RewindRequest(a.session_id))


async def _retry(a: Answered) -> None:
    await retry(a.s.app, RetryRequest(a.session_id))


async def _let_go(a: Answered) -> None:
    assert a.s.app._let_go(a.session_id)


@pytest.mark.parametrize("ends", [_delete, _rewind, _retry, _let_go])
async def test_what_is_in_no_conversation_any_more_is_not_watched(
    tmp_path: Path, ends: Callable[[Answered], Awaitable[None]]
) -> None:
    async with answered(tmp_path / "ws", [*TURNS, Turn(Text("I do not know."))]) as a:
        key = AnswerKey(a.session_id, a.run_id)
        assert a.s.app.anchors.freshness(key) is not None
        await ends(a)
        assert a.s.app.anchors.freshness(key) is None
        a.type(text("# mine", *LINES))
        await a.s.app.anchors.settled()
        assert a.late == []


async def answer_again(s: Stage, session: Session, number: int) -> str:
    """A run that cites line 5, without a model."""
    document = s.app.host.snapshot().read("client.py")
    assert isinstance(document, Document)
    span = Span(document.uri, document.sha256, 5, 5)
    citation = Citation("client.py", span, CitationStatus.VERIFIED, basis=Basis.MODEL, at=number)
    async with s.app.runs.open(session.id, None, session.note) as run:
        run.emit(CitationChecked(citation))
        await s.app.cited.keep(session, run, (citation,))
        run.emit(RunFinished("answered"))
    return run.id


async def test_only_the_newest_answers_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, {"client.py": text(*LINES)}, []) as s:
        await s.app.ready()
        session = s.app.sessions.create()
        runs = [await answer_again(s, session, number) for number in range(200)]
        await s.app.anchors.settled()
        keys = [AnswerKey(session.id, each) for each in runs]
        followed = [key.run_id for key in keys if s.app.anchors.freshness(key)]
        assert followed == runs[-MOST_ANSWERS:]
        assert len(session.kept(CITED_LINES)) == 200
        kept = json.dumps(session.kept(CITED_LINES)[-1])
        assert kept.replace(str(root), "ROOT").replace(runs[-1], "RUN") == KEPT_LINES
        (root / "client.py").write_text(text("# mine", *LINES))
        s.touched("client.py")
        at_first = len(s.port.envelopes)
        await until(lambda: len(s.port.envelopes) == at_first + MOST_ANSWERS)
    async with stage(root, {}, []) as s:
        found = await resume_session(s.app, ResumeSessionRequest(session.id))
        told = [as_told(found.events, each) for each in runs]
        assert (
            told
            == [["client.py:5-5 verified"]] * 150
            + [["client.py:5-5 verified moved to client.py:6"]] * MOST_ANSWERS
        )
