"""What a language server is told and asked, and what becomes of odd answers: a scripted one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from glossator.core.attached import Wanted
from glossator.core.code import CodeAnswer, CodeEdit, CodeKind, CodePlace
from glossator.core.uri import to_uri
from glossator.language_servers import running as running_module
from glossator.language_servers import server as server_module
from glossator.language_servers.known import KNOWN, FoundServer
from glossator.language_servers.running import Running
from glossator.language_servers.server import Server
from glossator.workspace.documents.overlays import DiskChanged
from tests.language_servers.asked import SECONDS, Asked, asked, scripted
from tests.sandboxed import SANDBOXED

FILES = {"a.py": "def name(): pass\nx = name()\nkeyword = 1\n", "b.py": "import a\n"}
Scripted = Callable[..., AbstractAsyncContextManager[Asked]]

pytestmark = SANDBOXED


@pytest.fixture
def speaking(tmp_path: Path) -> Scripted:
    """A workspace whose server behaves in one way."""

    @asynccontextmanager
    async def make(
        mode: str = "plain", encoding: str = "utf-16", **files: str
    ) -> AsyncIterator[Asked]:
        root = tmp_path / "ws"
        texts = {name.replace("_", "."): text for name, text in files.items()} or FILES
        async with asked(root, texts, scripted(root, mode, encoding)) as ws:
            yield ws

    return make


async def test_each_kind_of_question(speaking: Scripted) -> None:
    async with speaking() as ws:
        uri = to_uri(str(ws.root / "a.py"))

        async def places(kind: CodeKind) -> tuple[CodePlace, ...]:
            return (await ws.answer(kind, "a.py", "def ")).places

        assert await places(CodeKind.DEFINITIONS) == (CodePlace(uri, 2),)
        assert await places(CodeKind.REFERENCES) == (CodePlace(uri, 0), CodePlace(uri, 4))
        assert await places(CodeKind.IMPLEMENTATIONS) == (CodePlace(uri, 0), CodePlace(uri, 4))
        callers = CodePlace(uri, 5, "caller"), CodePlace(uri, 6, "caller")
        assert await places(CodeKind.CALLERS) == callers
        assert await places(CodeKind.CALLEES) == (CodePlace(uri, 8, "called", (1, 2)),)
        renamed = await ws.answer(CodeKind.RENAME, "a.py", "def ", new_name="other")
        assert renamed.edits == (CodeEdit(uri, 0, 4, 0, 8, "other"),)
        assert (renamed.refused, renamed.files_too) == ("", False)
        moved = await ws.answer(CodeKind.RENAME, "a.py", "def ", new_name="moved")
        assert moved.files_too
        ws.write("a.py", "keyword\n")
        refused = await ws.answer(CodeKind.RENAME, "a.py", "")
        assert refused == CodeAnswer("python", refused="this cannot be renamed")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_each_server_counts_in_its_own_units(speaking: Scripted, encoding: str) -> None:
    line = 's = "🦉 größer"; name()\n'
    async with speaking(encoding=encoding, a_py=line) as ws:
        answer = await ws.answer(CodeKind.TYPE, "a.py", 's = "🦉 größer"; ')
        assert '"name": "name"' in answer.text
        assert answer.encoding == encoding


async def test_unsaved_text_and_changes_on_disk_are_told(speaking: Scripted) -> None:
    async with speaking() as ws:
        ws.open("b.py", "import a  # typed\n")
        heard = await ws.heard("a.py", "def ")
        assert set(heard["documents"].values()) == {FILES["a.py"], "import a  # typed\n"}
        ws.edit("b.py", "import a  # more\n", 2)
        ws.write("a.py", "def other(): pass\n")
        ws.write("c.py", "new = 1\n")
        (ws.root / "c.py").rename(ws.root / "d.py")
        ws.host.apply(_changed(ws.root / "c.py", ws.root / "d.py"))
        _, heard = await asyncio.gather(ws.heard("a.py", "def "), ws.heard("a.py", "def "))
        assert heard["name"] == "other"
        shown = {"def other(): pass\n", "import a  # more\n", "new = 1\n"}
        assert set(heard["documents"].values()) == shown
        told = _told(heard, "workspace/didChangeWatchedFiles")["changes"]
        kinds = {Path(each["uri"]).name: each["type"] for each in told}
        assert kinds == {"a.py": 2, "c.py": 3, "d.py": 1}
        ws.close("b.py")
        heard = await ws.heard("a.py", "def ")
        assert set(heard["documents"].values()) == {"def other(): pass\n", "new = 1\n"}


async def test_few_documents_are_open_at_once(speaking: Scripted) -> None:
    async with speaking() as ws:
        for number in range(35):
            ws.write(f"f{number}.py", f"name = {number}\n")
            await ws.answer(CodeKind.REFERENCES, f"f{number}.py", "")
        documents = (await ws.heard("f34.py", ""))["documents"]
        assert len(documents) == 30
        assert "name = 0\n" not in documents.values()


async def test_it_is_told_honestly_what_we_can_do(speaking: Scripted) -> None:
    async with speaking("configured") as ws:
        heard = await ws.heard("a.py", "def ")
        hello = _told(heard, "initialize")
        assert hello["capabilities"]["workspace"]["applyEdit"] is False
        assert hello["rootUri"] == to_uri(str(ws.root))
        assert hello["processId"] is None
        heard = await ws.heard("a.py", "def ")
        assert {"jsonrpc": "2.0", "id": 1, "result": [None, None, {}]} in heard["heard"]


async def test_an_edit_that_it_asks_for_is_not_made(speaking: Scripted) -> None:
    async with speaking("edits") as ws:
        heard = (await ws.heard("a.py", "def "))["heard"]
        assert {"jsonrpc": "2.0", "id": "glossator-1", "result": {"applied": False}} in heard
        [unknown] = [each for each in heard if each.get("id") == 9]
        assert unknown["error"]["code"] == -32601  # method not found


async def test_one_that_dies_is_started_again_a_few_times(speaking: Scripted) -> None:
    async with speaking("dies") as ws:
        for _ in range(server_module.MOST_RESTARTS + 1):
            said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
            assert said == "python ended (exit code 2): something broke"
        rests = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
        assert rests == (
            "python ended (exit code 2): something broke; it ended 4 times, so it rests for a while"
        )
        [notice] = ws.notices
        assert "exit code 2): something broke. Symbols goes by outlines until" in notice
        [state] = [each for each in ws.servers.states() if "python" in each.languages][:1]
        assert "something broke" in state.state


async def test_one_that_starts_again_says_so() -> None:
    tries, loop = 0, asyncio.get_running_loop()

    async def launch(*_: object) -> Running:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise OSError("no memory")
        blocked: asyncio.Future[Running] = loop.create_future()
        return await blocked

    server = Server(FoundServer(KNOWN[0], "/bin/x"), "/ws", launch, lambda _: None)
    why = "basedpyright could not be started: no memory"
    assert await server.ready(loop.time() + SECONDS) == why
    assert await server.ready(loop.time() + 0.1) == "basedpyright is still starting"
    assert server.state == "starts"
    await server.close()


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("huge", "sent a message of more than 67,108,864 bytes"),
        ("breaks", "broke the protocol: a header line has no colon"),
    ],
)
async def test_one_that_breaks_the_protocol_is_ended(
    speaking: Scripted, mode: str, why: str
) -> None:
    async with speaking(mode) as ws:
        said = await ws.ask(CodeKind.TYPE, "a.py", "def ")
        assert isinstance(said, str)
        assert why in said
        again = await ws.answer(CodeKind.REFERENCES, "a.py", "def ")
        assert again.places


async def test_one_that_cannot_be_started(speaking: Scripted) -> None:
    async with speaking("absent") as ws:
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
        assert isinstance(said, str)
        assert "could not be started" in said
        assert "no such mode" in said


async def test_a_silent_one_costs_no_more_than_the_time(speaking: Scripted) -> None:
    async with speaking("silent") as ws:
        await ws.answer(CodeKind.DEFINITIONS, "a.py", "def ")
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ", seconds=0.5)
        assert isinstance(said, str)
        assert said == "python did not answer in time"
        heard = await ws.heard("a.py", "def ")
        assert _told(heard, "$/cancelRequest")["id"].startswith("glossator-")


async def test_an_answer_that_comes_too_late_harms_nobody(speaking: Scripted) -> None:
    async with speaking("slow") as ws:
        assert (await ws.answer(CodeKind.TYPE, "a.py", "def ")).text
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ", seconds=0.3)
        assert said == "python did not answer in time"
        assert (await ws.answer(CodeKind.TYPE, "a.py", "def ")).text
        assert (await ws.answer(CodeKind.TYPE, "a.py", "def ")).text
        assert ws.notices == []


async def test_one_that_reads_the_workspace_is_still_starting(speaking: Scripted) -> None:
    async with speaking("indexes") as ws:
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ", seconds=3)
        assert isinstance(said, str)
        assert said.endswith("is still starting")


async def test_work_without_an_end_is_not_awaited_for_ever(
    speaking: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_module, "_LONGEST_REST", 0.5)
    async with speaking("indexes") as ws:
        assert (await ws.answer(CodeKind.REFERENCES, "a.py", "def ")).places


async def test_no_message_ends_the_reading(speaking: Scripted) -> None:
    """One that cancels a request, which servers may do, and one whose number is a list."""
    async with speaking("cancels") as ws:
        assert (await ws.answer(CodeKind.REFERENCES, "a.py", "def ")).places
        assert ws.notices == []


async def test_its_words_are_few_and_harmless(speaking: Scripted) -> None:
    async with speaking("shouts") as ws:
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
        assert isinstance(said, str)
        assert said.startswith("python refused the question: \\u001b[31m\\nAAA")
        assert said.endswith("A [cut; 100,006 characters in all]")
        assert len(said) < 300
        text = (await ws.answer(CodeKind.TYPE, "a.py", "def ")).text
        assert text == "\\u202e" + "C" * 99_999
        everything = await ws.servers.diagnostics((), 1)
        assert everything is not None
        assert sum(len(each.items) for each in everything) <= 5_000
        longest = max(len(item.message) for each in everything for item in each.items)
        assert longest <= 1_010


async def test_that_nothing_is_known_there_is_no_empty_answer(speaking: Scripted) -> None:
    async with speaking("nothing") as ws:
        for kind in (
            CodeKind.DEFINITIONS,
            CodeKind.REFERENCES,
            CodeKind.CALLERS,
            CodeKind.CALLEES,
        ):
            assert await ws.ask(kind, "a.py", "def ") == "python knows nothing there"
        assert (await ws.answer(CodeKind.IMPLEMENTATIONS, "a.py", "def ")).places == ()


async def test_of_several_folders_a_server_knows_one(tmp_path: Path) -> None:
    root, other = tmp_path / "ws", tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("name\n")
    async with asked(root, FILES, scripted(root, "plain"), others=(other,)) as ws:
        assert (await ws.answer(CodeKind.REFERENCES, "a.py", "def ")).by == "python"
        assert (await ws.answer(CodeKind.RENAME, "a.py", "def ", new_name="x")).edits
    (other / "uses.py").write_text("from a import name\n")
    async with asked(root, FILES, scripted(root, "plain"), others=(other,)) as ws:
        answer = await ws.answer(CodeKind.REFERENCES, "a.py", "def ")
        assert answer.by == "python (in ws alone)"
        assert answer.places
        renamed = await ws.answer(CodeKind.RENAME, "a.py", "def ", new_name="x")
        assert renamed.edits == ()
        assert renamed.refused.startswith("it knows the folder ws alone, and other folders")


async def test_a_flood_holds_up_nobody(speaking: Scripted) -> None:
    async with speaking("floods") as ws:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        await ws.answer(CodeKind.DEFINITIONS, "a.py", "def ")
        ticking = asyncio.create_task(tick())
        assert (await ws.heard("a.py", "def "))["name"] == "name"
        ticking.cancel()
        assert ticks > 1_000


async def test_odd_parts_of_answers_are_left_out(speaking: Scripted) -> None:
    async with speaking("odd") as ws:
        uri = to_uri(str(ws.root / "a.py"))
        for kind, places in (
            (CodeKind.DEFINITIONS, (CodePlace(uri, 3),)),
            (CodeKind.REFERENCES, (CodePlace(uri, 3),)),
            (CodeKind.IMPLEMENTATIONS, ()),
        ):
            assert (await ws.answer(kind, "a.py", "def ")).places == places
        assert await ws.ask(CodeKind.CALLERS, "a.py", "def ") == "python knows nothing there"
        assert (await ws.answer(CodeKind.TYPE, "a.py", "def ")).text == "good"
        renamed = await ws.answer(CodeKind.RENAME, "a.py", "def ", new_name="x")
        assert renamed.refused == "it gives no edits for this name"


async def test_what_it_does_not_offer_is_not_asked(speaking: Scripted) -> None:
    async with speaking("poor") as ws:
        for kind, said in (
            (CodeKind.DEFINITIONS, "tells no definitions"),
            (CodeKind.CALLEES, "tells no callees"),
            (CodeKind.TYPE, "tells no types"),
            (CodeKind.RENAME, "renames nothing"),
        ):
            assert await ws.ask(kind, "a.py", "def ") == f"python {said}"


async def test_refusals_are_told(speaking: Scripted) -> None:
    async with speaking("fails") as ws:
        said = await ws.ask(CodeKind.REFERENCES, "a.py", "def ")
        assert isinstance(said, str)
        assert said.endswith("refused the question: not here")
        assert (await ws.answer(CodeKind.RENAME, "a.py", "def ")).refused == "not here"


async def test_it_is_asked_again_when_it_changed_its_mind(speaking: Scripted) -> None:
    async with speaking("modified") as ws:
        assert (await ws.heard("a.py", "def "))["name"] == "name"


@pytest.mark.parametrize("mode", ["plain", "unversioned"])
async def test_findings_are_those_of_the_text(speaking: Scripted, mode: str) -> None:
    """Also of one that came with a question about another file, and of one saved as it was."""
    async with speaking(mode) as ws:
        assert await ws.found("b.py") == ([(1, "9 characters (1)")], False)
        ws.open("b.py", "import a, c\n", 5)
        await ws.answer(CodeKind.REFERENCES, "a.py", "def ")
        assert await ws.found("b.py", 5) == ([(1, "12 characters (1)")], False)
        ws.edit("b.py", "x\n", 6)
        assert await ws.found("b.py", 6) == ([(1, "2 characters (1)")], False)
        ws.close("b.py")
        assert await ws.found("b.py") == ([(1, "9 characters (1)")], False)
        ws.write("b.py", FILES["b.py"])
        assert await ws.found("b.py", seconds=5.0) == ([(1, "9 characters (1)")], False)


async def test_what_is_known_so_far_is_of_the_newest_text(speaking: Scripted) -> None:
    """Also of a server that tells only when it is asked."""
    for mode, message in (("plain", "2 characters (1)"), ("pulled", "pulled")):
        async with speaking(mode) as ws:
            await ws.found("b.py")
            ws.write("b.py", "x\n")
            (told,) = await ws.servers.diagnostics((), SECONDS) or ()
            assert [item.message for item in told.items] == [message]


async def test_a_server_that_starts_does_not_know_yet(speaking: Scripted) -> None:
    """One that cannot be started never will: of its files nobody tells."""
    async with speaking("plain") as ws:
        assert await ws.found("a.py", seconds=0.0) == ([], True)
        ws.write("b.py", "meanwhile\n")
        ws.write("new.py", "meanwhile\n")
        assert (await ws.found("a.py"))[1] is False
        told = _told(await ws.heard("a.py", "def "), "workspace/didChangeWatchedFiles")["changes"]
        kinds = {Path(each["uri"]).name: each["type"] for each in told}
        assert kinds == {"b.py": 2, "new.py": 1}
    async with asked(ws.root, FILES, {"python": f"{ws.root}/none"}) as ws:
        wanted = (Wanted(to_uri(str(ws.root / "a.py")), None),)
        assert await ws.servers.diagnostics(wanted, SECONDS) is None


@pytest.mark.parametrize("mode", ["plain", "unversioned"])
async def test_what_is_said_of_a_closed_document_does_not_count(
    speaking: Scripted, mode: str
) -> None:
    """Servers take back what they found in it: nothing is left then, which is not "clean"."""
    async with speaking(mode) as ws:
        assert await ws.servers.diagnostics((), 1) == ()
        names = [f"f{number}.py" for number in range(60)]
        for name in names:
            ws.write(name, "x\n")
        wanted = tuple(Wanted(to_uri(str(ws.root / name)), None) for name in names)
        found = await ws.servers.diagnostics(wanted, SECONDS)
        assert found is not None
        assert [(len(each.items), each.pending) for each in found] == [(1, False)] * 60
        everything = await ws.servers.diagnostics((), 1)
        assert everything is not None
        assert [len(each.items) for each in everything] == [1] * 60
        ws.write("f59.py", "xyz\n")
        assert await ws.found("f59.py") == ([(1, "4 characters (1)")], False)


async def test_findings_that_are_late(speaking: Scripted) -> None:
    async with speaking("late") as ws:
        await ws.answer(CodeKind.REFERENCES, "a.py", "def ")
        assert await ws.found("a.py", seconds=0.3) == ([], True)


async def test_an_answer_that_is_owed_is_waited_for(
    speaking: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was known before is not taken for it: a file beside it may have changed."""
    async with speaking("owes") as ws:
        await ws.answer(CodeKind.REFERENCES, "a.py", "def ")
        assert await ws.found("a.py", seconds=0.4) == ([(2, "pulled")], False)
        monkeypatch.setattr(running_module, "_OWED_SECONDS", 0.0)
        assert await ws.found("a.py", seconds=0.4) == ([], True)


async def test_none_starts_once_all_are_ended(speaking: Scripted) -> None:
    async with speaking() as ws:
        await ws.servers.close()
        assert await ws.ask(CodeKind.REFERENCES, "a.py", "def ") == "python was ended"


async def test_it_is_ended_when_it_rests(
    speaking: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 0.05)
    async with speaking() as ws:
        await ws.answer(CodeKind.REFERENCES, "a.py", "def ")
        while any(each.state == "runs" for each in ws.servers.states()):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
        assert (await ws.answer(CodeKind.REFERENCES, "a.py", "def ")).places
        assert ws.notices == []


def _told(heard: dict[str, Any], method: str) -> Any:
    """The parameters of the last message of this kind."""
    return [each["params"] for each in heard["heard"] if each.get("method") == method][-1]


def _changed(*paths: Path) -> DiskChanged:
    return DiskChanged(frozenset(map(str, paths)))
