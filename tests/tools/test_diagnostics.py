"""Findings are told once: what is new, what is gone, what has not come yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.core.attached import Diagnostic, FileDiagnostics, Severity, Wanted
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_uri
from glossator.edits.edit_tools import Edit
from glossator.llm.model import ToolCall
from glossator.permissions.matching import HiddenFiles
from glossator.tools.base import registry
from glossator.tools.diagnostics import MAX_ITEMS, Diagnostics
from glossator.turn.calls import call_tool, permit_direct_call
from tests.permissions.asking import policy
from tests.tools.hands import Hands
from tests.workspaces import MakeWorkspace, Workspace

_TYPO = Diagnostic(3, Severity.ERROR, "undefined name\n  'x'", "linter")
_STYLE = Diagnostic(1, Severity.HINT, "could be shorter")


class Editor:
    """A workspace whose editor has findings, or tells none."""

    def __init__(self, ws: Workspace, hidden: HiddenFiles | None = None) -> None:
        self.found: tuple[FileDiagnostics, ...] | None = ()
        self.asked: tuple[Wanted, ...] | None = None
        self.root = ws.root
        self._ws = ws
        self._context = ws.context(diagnostics=self._tell, hidden=hidden)

    async def ask(self, **arguments: object) -> ToolResult:
        context = replace(self._context, snapshot=self._ws.snapshot)
        call = ToolCall("call", "Diagnostics", arguments)
        return await call_tool(registry((Diagnostics(),)), call, context, permit_direct_call)

    async def _tell(
        self, wanted: tuple[Wanted, ...], _seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        self.asked = wanted
        return self.found


async def test_differences_only(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n"})
    editor, uri = Editor(ws), ws.uri("a.py")
    editor.found = (FileDiagnostics(uri, (_STYLE, _TYPO)),)
    assert (await editor.ask()).text == (
        "a.py: 2 new, 0 fixed, 0 unchanged\n"
        "  3: error: undefined name 'x' (linter)\n"
        "  1: hint: could be shorter"
    )
    moved = replace(_STYLE, line=9)
    editor.found = (FileDiagnostics(uri, (moved,)),)
    assert (await editor.ask()).text == "a.py: 0 new, 1 fixed, 1 unchanged"
    editor.found = (FileDiagnostics(uri, (moved, moved)),)
    assert (await editor.ask()).text.startswith("a.py: 1 new, 0 fixed, 1 unchanged\n")


async def test_the_newest_text_is_what_is_asked_about(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n", "b.py": ""})
    ws.open("a.py", "y\n")
    ws.edit("a.py", "z\n", version=7)
    editor = Editor(ws)
    editor.found = (FileDiagnostics(ws.uri("a.py"), (), pending=True),)
    assert (await editor.ask(path="a.py")).text == "a.py: pending; ask again in a moment."
    assert editor.asked == (Wanted(ws.uri("a.py"), 7),)
    editor.found = ()
    assert (await editor.ask(path="b.py")).text == "No findings."
    assert editor.asked == (Wanted(ws.uri("b.py"), None),)
    assert (await editor.ask(path="c.py")).error


async def test_many_findings_are_cut(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": ""})
    editor = Editor(ws)
    many = tuple(Diagnostic(n, Severity.WARNING, f"w{n}") for n in range(1, MAX_ITEMS + 6))
    editor.found = (FileDiagnostics(ws.uri("a.py"), many),)
    result = await editor.ask()
    assert result.omitted == 5
    assert result.text.endswith("[5 more; ask for one file, or fix these first]")


async def test_an_editor_that_tells_nothing(workspace: MakeWorkspace) -> None:
    editor = Editor(await workspace({}))
    editor.found = None
    result = await editor.ask()
    assert result.error
    assert "Run the project's own checks" in result.text


FILES = {"app.py": "KEY\n", ".gitignore": ".env\n", ".env": "sk-abc\n", "keys/a.ts": "k = 'sk-123'"}


@pytest.fixture
async def editor(workspace: MakeWorkspace) -> Editor:
    """One whose servers read what rules hide from the model."""
    ws = await workspace(FILES)
    rules = policy(deny=["Read(.env)", "Read(keys/**)"], root=ws.root)
    return Editor(ws, HiddenFiles.of(rules))


@pytest.mark.parametrize("path", [".env", "keys/a.ts", "link"])
async def test_a_hidden_file_is_not_asked_about(editor: Editor, path: str) -> None:
    (editor.root / "link").symlink_to(".env")
    result = await editor.ask(path=path)
    assert result.error
    assert "permission rules" in result.text
    assert editor.asked is None


@pytest.mark.parametrize(
    "name", ["file:{}/.env", "file:{}/keys/a.ts", "git:{}/.env?HEAD", "git:{}/keys/%61.ts"]
)
async def test_findings_in_a_hidden_file_are_not_told(editor: Editor, name: str) -> None:
    secret = FileDiagnostics(name.format(editor.root), (replace(_TYPO, message="sk-abc"),))
    editor.found = (secret, FileDiagnostics(to_uri(f"{editor.root}/app.py"), (_STYLE,)))
    text = (await editor.ask()).text
    assert "sk-" not in text
    assert ".env" not in text
    assert text.endswith("or outside the workspace: 1.")
    assert "1: hint: could be shorter" in text


async def test_findings_outside_the_workspace_are_not_told(editor: Editor) -> None:
    (editor.root / "out").symlink_to("/etc")
    outside = ("file:///etc/hosts", "file:///etc/../etc/hosts", f"file://{editor.root}/out/hosts")
    editor.found = tuple(FileDiagnostics(uri, (_TYPO,)) for uri in outside)
    assert (await editor.ask()).text.endswith("or outside the workspace: 3.")
    editor.found = (FileDiagnostics("untitled:Untitled-1", (_TYPO,)),)
    assert (await editor.ask()).text.startswith("untitled:Untitled-1: 1 new")


@pytest.mark.parametrize(
    ("message", "quotes"),
    [
        ("""Type '"sk-123"' is not assignable to type 'number'.""", True),
        ("reveal_type: Literal['sk-abc']", True),
        ("value \N{LEFT DOUBLE QUOTATION MARK}sk-a\N{HORIZONTAL ELLIPSIS} is too long", True),
        ("'KEY' is not defined", False),
        ("could not be resolved", False),
        ("expected 'number'", False),
    ],
)
async def test_a_finding_that_quotes_a_hidden_file(
    editor: Editor, message: str, quotes: bool
) -> None:
    uri = to_uri(f"{editor.root}/app.py")
    editor.found = (FileDiagnostics(uri, (replace(_TYPO, message=message),)),)
    text = (await editor.ask()).text
    assert ("[not shown: it quotes a file" in text) is quotes
    assert (message in text) is not quotes


async def test_an_edit_brings_what_is_newly_wrong(workspace: MakeWorkspace) -> None:
    """Errors and warnings of the edited text, not those before it, and none that come late."""
    ws = await workspace({"a.py": "x = 1\n", "notes.md": "x\n"})
    ws.open("a.py", "x = 1\n")
    uri, asked = ws.uri("a.py"), []
    old = Diagnostic(1, Severity.WARNING, "x is short")
    new = Diagnostic(1, Severity.ERROR, "y is not defined", "linter")
    late = False

    async def tell(wanted: tuple[Wanted, ...], seconds: float) -> tuple[FileDiagnostics, ...]:
        asked.append((wanted, seconds))
        if wanted[0].version is None:
            return (FileDiagnostics(uri, (old,)),)
        return (FileDiagnostics(uri, (replace(old, line=2), _STYLE, new), pending=late),)

    async def edited(old_text: str, new_text: str, path: str = "a.py") -> str:
        context = ws.context(diagnostics=tell, edits=Hands(ws))
        given = {"path": path, "old_text": old_text, "new_text": new_text}
        call = ToolCall("call", "Edit", given)
        result = await call_tool(registry((Edit(),)), call, context, permit_direct_call)
        assert not result.error, result.text
        return result.text

    text = await edited("1", "y")
    assert text.endswith(
        "1\tx = y\nNew findings since the edit:\na.py:1: error: y is not defined (linter)"
    )
    assert asked[1] == ((Wanted(uri, 2),), 1.0)
    late = True
    assert "New findings" not in await edited("y", "z")
    assert "New findings" not in await edited("x", "y", "notes.md")
    assert len(asked) == 5
