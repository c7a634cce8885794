"""The gate: an answer is worth what was asked, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from glossator.application.permission_checker import PermissionChecker
from glossator.core.permission import (
    Access,
    Choice,
    Mode,
    PermissionAnswer,
    PermissionRequest,
    Permit,
)
from glossator.core.tool_result import ToolResult
from glossator.edits.edit_tools import Write, WriteArgs
from glossator.permissions.decide import Deny
from glossator.permissions.grants import Grants
from glossator.permissions.policy import Policy
from glossator.permissions.private_file import PrivateFile
from glossator.sandbox.bash_tool import Bash, BashArgs
from glossator.sandbox.confinement import CommandLimits, Unavailable
from glossator.sandbox.confinement import SandboxPolicy as ShellPolicy
from glossator.sandbox.shell import LimitedShell, Shell
from glossator.tools.base import Tool, ToolArgs, ToolContext
from glossator.tools.read import Read, ReadArgs
from tests.permissions.asking import policy
from tests.workspaces import MakeWorkspace, Workspace

_ONCE = PermissionAnswer(Choice.ONCE)


class User:
    """Answers once, in general; what happens while the user thinks is up to a test."""

    def __init__(self) -> None:
        self.asked: list[PermissionRequest] = []
        self.thinking: Callable[[int], Any] = lambda _: None
        self.answer = _ONCE
        self.answers = asyncio.Event()
        self.answers.set()
        self.hears = asyncio.Event()

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        self.asked.append(request)
        self.hears.set()
        await self.answers.wait()
        self.thinking(len(self.asked))
        return self.answer


class Setting:
    """A gate on a real workspace, whose policy may be changed."""

    def __init__(self, ws: Workspace, top: Path) -> None:
        self.ws = ws
        self.user = User()
        self.policy: Policy = policy(root=ws.root)
        self.refusal: str | None = None
        self.refused = {Access.EXECUTE}
        grants = Grants((str(ws.root),), lambda _: None, PrivateFile(top / "grants.json"))
        self.gate = PermissionChecker(
            policy=lambda: self.policy,
            grants=lambda: grants,
            ask_permission=self.user.ask,
            limited=self._shell,
            refusal=self._untrusted,
        )

    async def write(self, path: str, content: str = "x") -> str | None:
        return await self._denial(Write(), WriteArgs(path=path, content=content))

    async def read(self, path: str) -> str | None:
        return await self._denial(Read(), ReadArgs(path=path))

    async def run(self, command: str, *, network: bool = False) -> str | None:
        return await self._denial(Bash(), BashArgs(command=command, network=network))

    async def permit(self, path: str) -> frozenset[str]:
        """The real paths at which `path` may be written."""
        decided = await self.gate.permission(
            Write(), WriteArgs(path=path, content="x"), self._context()
        )
        assert isinstance(decided, Permit)
        return frozenset(real.removeprefix(f"{self.ws.root}/") for real in decided.paths)

    async def _denial(self, tool: Tool, args: ToolArgs) -> str | None:
        decided = await self.gate.permission(tool, args, self._context())
        if isinstance(decided, Deny):
            return decided.reason
        assert isinstance(decided, Permit)
        return None

    def _context(self) -> ToolContext:
        return self.ws.context()

    def _shell(self, snapshot: Any) -> LimitedShell:
        shell = Shell(Unavailable("None here."), ShellPolicy(snapshot.roots), {"PATH": "/bin"})
        return LimitedShell(shell, CommandLimits())

    async def _untrusted(self, access: Access) -> str | None:
        return self.refusal if access in self.refused else None


@pytest.fixture
async def at(workspace: MakeWorkspace, tmp_path: Path) -> Setting:
    ws = await workspace({"a.txt": "a\n", "b.txt": "b\n", ".mcp.json": "{}\n"})
    return Setting(ws, tmp_path)


def point(ws: Workspace, name: str) -> None:
    (ws.root / "link").unlink(missing_ok=True)
    (ws.root / "link").symlink_to(name)


async def test_what_was_answered_is_done(at: Setting) -> None:
    assert await at.write("a.txt") is None
    assert len(at.user.asked) == 1
    at.user.answer = PermissionAnswer(Choice.DENY, "not now")
    assert "not now" in str(await at.write("a.txt"))


@pytest.mark.parametrize(("other", "asked", "told"), [("../x", 1, "outside"), ("b.txt", 2, None)])
async def test_a_link_that_leads_elsewhere_by_now(
    at: Setting, other: str, asked: int, told: str | None
) -> None:
    point(at.ws, "a.txt")
    at.user.thinking = lambda number: point(at.ws, other) if number == 1 else None
    reason = await at.write("link")
    assert (reason is None) if told is None else told in str(reason)
    assert len(at.user.asked) == asked


async def test_what_is_permitted_is_what_was_decided_about(at: Setting) -> None:
    point(at.ws, "a.txt")
    assert await at.permit("link") == {"a.txt"}
    at.user.thinking = lambda number: point(at.ws, "b.txt")
    assert await at.permit("link") == {"b.txt"}
    at.policy = replace(at.policy, mode=Mode.AUTO)
    assert await at.permit("link") == {"b.txt"}
    (at.ws.root / "up").symlink_to("deep/er")
    assert await at.permit("up/../new") == {"new", "deep/new"}


async def test_a_link_that_never_rests(at: Setting) -> None:
    point(at.ws, "a.txt")
    at.user.thinking = lambda number: point(at.ws, "ab"[number % 2] + ".txt")
    assert "changed each time" in str(await at.write("link"))
    assert len(at.user.asked) == 3


@pytest.mark.parametrize(
    ("mode", "told"), [(Mode.PLAN, "Plan mode only reads"), (Mode.ACCEPT_EDITS, None)]
)
async def test_a_mode_that_was_changed_while_asked(
    at: Setting, mode: Mode, told: str | None
) -> None:
    def change(_number: int) -> None:
        at.policy = replace(at.policy, mode=mode)

    at.user.thinking = change
    reason = await at.write("a.txt")
    assert (reason is None) if told is None else told in str(reason)
    assert len(at.user.asked) == 1


async def test_an_answer_for_the_session_settles_what_waits(at: Setting) -> None:
    at.user.answers.clear()
    at.user.answer = PermissionAnswer(Choice.SESSION)
    calls = [asyncio.create_task(at.write("a.txt")) for _ in range(3)]
    await at.user.hears.wait()
    at.user.answers.set()
    assert await asyncio.gather(*calls) == [None, None, None]
    assert len(at.user.asked) == 1


async def test_a_call_that_is_cancelled_while_asked_lets_the_next_one_ask(at: Setting) -> None:
    at.user.answers.clear()
    first = asyncio.create_task(at.write("a.txt"))
    await at.user.hears.wait()
    second = asyncio.create_task(at.write("b.txt"))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    at.user.answers.set()
    assert await second is None
    assert len(at.user.asked) == 2


async def test_a_protected_file_is_not_allowed_for_longer(at: Setting) -> None:
    at.user.answer = PermissionAnswer(Choice.SESSION)
    assert await at.write(".mcp.json") is None
    assert await at.write(".mcp.json") is None
    assert [request.suggestions for request in at.user.asked] == [(), ()]


async def test_without_trust_nothing_is_asked_and_only_processes_are_refused(at: Setting) -> None:
    at.refusal = "not trusted"
    assert await at.run("ls") == "not trusted"
    assert await at.read("a.txt") is None
    assert at.user.asked == []
    at.refused.add(Access.WRITE)
    assert await at.write("a.txt") == "not trusted"
    assert at.user.asked == []


async def test_what_reads_is_decided_about_where_a_rule_may_speak_of_it(at: Setting) -> None:
    point(at.ws, "../x")
    assert await at.read("link") is None  # the tool keeps to the workspace itself
    assert "outside" in (await at.ws.call("Read", path="link")).text
    at.policy = policy(root=at.ws.root, deny=["Read(b.txt)"])
    assert "outside" in str(await at.read("link"))
    point(at.ws, "b.txt")
    assert "Read(b.txt)" in str(await at.read("link"))
    at.policy = policy(root=at.ws.root, ask=["Read(b.txt)"])
    assert await at.read("a.txt") is None
    assert not at.user.asked
    assert await at.read("link") is None
    assert len(at.user.asked) == 1


async def test_rules_that_the_user_wrote_are_kept_instead(at: Setting) -> None:
    at.user.answer = PermissionAnswer(Choice.SESSION, rules=("Edit(b.txt)",))
    assert await at.write("a.txt") is None, "it was allowed, whatever the rule covers"
    assert await at.write("b.txt") is None
    assert len(at.user.asked) == 1
    assert await at.write("a.txt") is None
    assert len(at.user.asked) == 2


async def test_no_rule_is_kept_where_the_user_left_none(at: Setting) -> None:
    at.user.answer = PermissionAnswer(Choice.ALWAYS, rules=())
    assert await at.write("a.txt") is None
    assert at.gate.grants().rules.allow == ()


@pytest.mark.parametrize("rule", ["Edit(", "Edit(../x)", "Bash(a*b)", "nonsense!", "Bash(a\tb)"])
async def test_a_rule_that_is_none_is_asked_about_again(at: Setting, rule: str) -> None:
    at.user.answer = PermissionAnswer(Choice.ALWAYS, rules=("Edit(b.txt)", rule))
    assert "could not be used" in str(await at.write("a.txt"))
    assert at.gate.grants().rules.allow == ()
    first, second, third = at.user.asked
    assert second.reasons[: len(first.reasons)] == first.reasons
    assert second.reasons[-1].startswith("Nothing was kept. The permission rule ")
    assert third.reasons == second.reasons


class Remote:
    """A tool that acts, but edits nothing and is no shell."""

    name: ClassVar[str] = "mcp__db__query"
    description: ClassVar[str] = ""
    access: ClassVar[Access] = Access.EXECUTE
    args: ClassVar[type[ToolArgs]] = ToolArgs

    async def run(self, _args: ToolArgs, _context: ToolContext) -> ToolResult:
        raise NotImplementedError


async def test_a_review_stands_in_for_the_permission_of_edits_alone(at: Setting) -> None:
    at.gate = replace(at.gate, reviews=True)
    assert await at.write("a.txt") is None
    assert not at.user.asked, "each part of it will be"
    assert await at._denial(Remote(), ToolArgs()) is None
    (asked,) = at.user.asked
    assert asked.reasons == (
        "No sandbox holds what an MCP server does, so you are asked in every mode.",
    )


async def test_to_look_at_a_job_needs_no_permission(at: Setting) -> None:
    assert await at._denial(Bash(), BashArgs(job="1")) is None
    assert not at.user.asked
    assert await at.run("ls") is None
    assert len(at.user.asked) == 1, "there is no sandbox here"
