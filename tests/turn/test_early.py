"""Read-only calls start when their block closes, and count only in a reply that ends whole."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest

from glossator.core.attached import Diagnostic, FileDiagnostics, Severity
from glossator.core.events import TextDiscarded, ToolFinished, ToolStarted
from glossator.core.permission import Access, Choice, PermissionAnswer
from glossator.core.tool_result import ToolResult
from glossator.tools.base import ToolArgs, ToolContext
from glossator.tools.diagnostics import Diagnostics, DiagnosticsArgs
from glossator.tools.read import Read
from tests.passing import let_pass
from tests.stage import Stage, stage
from tests.standin import MaxTokensMidTool, StreamError, Text, ToolUse, TruncateAt, Turn
from tests.turn.test_loop import FILES

QUICK = {"models": {"maxRetryWait": 0.001}}


class Probe:
    """A tool that tells when it runs and when it is cancelled."""

    name: ClassVar[str] = "Probe"
    args: ClassVar[type[ToolArgs]] = ToolArgs
    description = "Probes."

    def __init__(self, access: Access = Access.READ, *, endless: bool = False) -> None:
        self.access = access
        self.endless = endless
        self.runs = 0
        self.cancelled = 0
        self.ran = asyncio.Event()

    async def run(self, _args: ToolArgs, _context: ToolContext) -> ToolResult:
        self.runs += 1
        self.ran.set()
        try:
            if self.endless:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ToolResult(f"run {self.runs}")


def give(s: Stage, probe: Probe) -> None:
    s.app.tools = {**s.app.tools, "Probe": probe}


async def test_a_reading_call_runs_while_the_reply_streams(tmp_path: Path) -> None:
    gate = asyncio.Event()
    calls = ToolUse("Probe", id="a"), ToolUse("Glob", {"pattern": "*"}, id="b")
    script = [Turn(*calls, gate=gate, gate_after_block=True), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script) as s:
        probe = Probe()
        give(s, probe)
        asked = asyncio.create_task(s.ask("?"))
        await probe.ran.wait()
        assert s.api.open_streams == 1
        assert s.port.of(ToolStarted) == []
        gate.set()
        assert (await asked).text == "Done."
        assert probe.runs == 1
        assert list(s.results(1)) == ["a", "b"]
        assert s.results(1)["a"]["content"] == "run 1"
        assert len(s.port.of(ToolStarted)) == len(s.port.of(ToolFinished)) == 2


@pytest.mark.parametrize("access", [Access.WRITE, Access.EXECUTE])
async def test_other_calls_wait_for_the_whole_reply(tmp_path: Path, access: Access) -> None:
    cut = Turn(ToolUse("Probe"), Text("and"), fault=StreamError(after=2))
    script = [cut, Turn(ToolUse("Probe")), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script, QUICK | {"permissions": {"mode": "auto"}}) as s:
        probe = Probe(access)
        give(s, probe)
        assert (await s.ask("?")).text == "Done."
        assert probe.runs == 1


@pytest.mark.parametrize("fault", [StreamError(after=60), TruncateAt(2_500)])
async def test_a_void_reply_ends_what_it_started(tmp_path: Path, fault: Any) -> None:
    gate = asyncio.Event()
    blocks = ToolUse("Probe"), Text("and so on " * 100)
    cut = Turn(*blocks, fault=fault, gate=gate, gate_after_block=True)
    async with stage(tmp_path, FILES, [cut, Turn(Text("Whole."))], QUICK) as s:
        probe = Probe(endless=True)
        give(s, probe)
        asked = asyncio.create_task(s.ask("?"))
        await probe.ran.wait()
        gate.set()
        assert (await asked).text == "Whole."
        assert (probe.runs, probe.cancelled) == (1, 1)
        assert s.port.of(ToolStarted) == []
        assert len(s.port.of(TextDiscarded)) == 1
        assert s.sent(0)["messages"] == s.sent(1)["messages"]


async def test_what_a_void_reply_read_was_not_shown(tmp_path: Path) -> None:
    """Else the second Read would say "unchanged" of lines that the model was never shown."""
    read = ToolUse("Read", {"path": "app.py"})
    gate = asyncio.Event()
    blocks = read, ToolUse("Probe"), Text("x" * 900)
    cut = Turn(*blocks, fault=StreamError(after=60), gate=gate, gate_after_block=True)
    script = [cut, Turn(read), Turn(read), Turn(Text("It greets. [cite: doc, app.py, 1-2]"))]
    async with stage(tmp_path, FILES, script, QUICK) as s:
        looked = asyncio.Event()

        class Told(Read):
            async def run(self, args: Any, context: ToolContext) -> ToolResult:
                result = await super().run(args, context)
                looked.set()
                return result

        s.app.tools = {**s.app.tools, "Read": Told(), "Probe": Probe()}
        asked = asyncio.create_task(s.ask("?"))
        await looked.wait()
        gate.set()
        answer = await asked
        first, second = (next(iter(s.results(n).values()))["content"] for n in (2, 3))
        assert "def greet" in first
        assert "unchanged" in second
        assert [citation.status for citation in answer.citations] == ["read"]


async def test_a_reply_cut_by_max_tokens_uses_nothing(tmp_path: Path) -> None:
    calls = ToolUse("Probe", id="a"), ToolUse("Glob", {"pattern": "*"}, id="b")
    script = [Turn(*calls, fault=MaxTokensMidTool()), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script) as s:
        give(s, Probe())
        assert (await s.ask("?")).text == "Done."
        assert [result["is_error"] for result in s.results(1).values()] == [True, True]
        assert s.port.of(ToolStarted) == []


async def test_a_cancelled_run_ends_what_it_started(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Probe"), Text("x"), gate=asyncio.Event(), gate_after_block=True)]
    async with stage(tmp_path, FILES, script) as s:
        probe = Probe(endless=True)
        give(s, probe)
        asked = asyncio.create_task(s.ask("?", run_id="r"))
        await probe.ran.wait()
        s.app.runs.cancel("r")
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert probe.cancelled == 1


async def test_the_user_is_asked_nothing_for_a_void_reply(tmp_path: Path) -> None:
    """A call that needs a question waits until its reply is whole; others do not."""
    gate = asyncio.Event()
    read = ToolUse("Read", {"path": "app.py"}, id="r")
    blocks = read, ToolUse("Probe"), Text("and so on " * 100)
    cut = Turn(*blocks, fault=StreamError(after=60), gate=gate, gate_after_block=True)
    script = [cut, Turn(read, ToolUse("Probe")), Turn(Text("Done."))]
    settings = QUICK | {"permissions": {"ask": ["Read(app.py)"]}}
    async with stage(tmp_path, FILES, script, settings) as s:
        give(s, Probe())
        asked = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(1)
        for _ in range(20):  # the call is decided about in a thread
            await asyncio.to_thread(lambda: None)
        gate.set()
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        assert (await asked).text == "Done."
        assert [request.tool for request in s.port.permissions] == ["Read"]
        assert "def greet" in s.results(2)["r"]["content"]


async def test_what_is_found_for_a_void_reply_counts_as_never_told(tmp_path: Path) -> None:
    gate = asyncio.Event()

    class Telling(Diagnostics):
        async def run(self, args: DiagnosticsArgs, context: ToolContext) -> ToolResult:
            result = await super().run(args, context)
            gate.set()
            return result

    call, error = ToolUse("Diagnostics", id="d"), Diagnostic(3, Severity.ERROR, "broken", "mypy")
    void = Turn(call, Text("x" * 99), gate=gate, gate_after_block=True, fault=StreamError(after=3))
    script = [void, Turn(call), Turn(ToolUse("Diagnostics", id="e")), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script, QUICK) as s:
        s.port.diagnosed = [FileDiagnostics((tmp_path / "app.py").as_uri(), (error,))]
        s.app.tools = {**s.app.tools, "Diagnostics": Telling()}
        await s.ask("?")
        assert "1 new, 0 fixed, 0 unchanged" in s.results(2)["d"]["content"]
        assert "0 new, 0 fixed, 1 unchanged" in s.results(3)["e"]["content"]


async def test_what_the_user_thinks_while_a_reply_streams_is_no_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()

    class Thoughtful(Probe):
        async def run(self, _args: ToolArgs, context: ToolContext) -> ToolResult:
            with context.waiting():
                let_pass(monkeypatch, 120)
                await asyncio.sleep(0.01)  # whatever is late by now ends here
                gate.set()
            return ToolResult("thought over")

    turn = Turn(ToolUse("Probe", id="p"), Text("x"), gate=gate, gate_after_block=True)
    script = [turn, Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script, {"limits": {"seconds": 60}}) as s:
        give(s, Thoughtful())
        assert (await s.ask("?")).stop == "answered"
        assert s.results(1)["p"]["content"] == "thought over"
