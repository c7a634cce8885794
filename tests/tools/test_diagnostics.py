"""Findings are told once: what is new, what is gone, what has not come yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.core.attached import Diagnostic, FileDiagnostics, Severity, Wanted
from glossator.core.document import Document
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_uri
from glossator.edits.edit_tools import Edit
from glossator.llm.model import ToolCall
from glossator.permissions.matching import HiddenFiles
from glossator.tools.base import registry
from glossator.tools.diagnostics import MAX_ITEMS, Diagnostics, findings_now, new_findings
from glossator.turn.calls import call_tool, permit_direct_call
from tests.permissions.asking import policy
from tests.tools.hands import Hands
from tests.workspaces import MakeWorkspace, Workspace

_TYPO = Diagnostic(3, Severity.ERROR, "undefined name\n  'x'", "linter")
_STYLE = Diagnostic(1, Severity.INFORMATION, "could be shorter")
_HINT = Diagnostic(2, Severity.HINT, "is not accessed")
_ONE = "[of the 1 file checked so far; give a path to ask about another]"


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
    assert (await editor.ask(path="a.py")).text == (
        "a.py: 2 new, 0 fixed, 0 unchanged\n"
        "  3: error: undefined name 'x' (linter)\n"
        "  1: information: could be shorter"
    )
    moved = replace(_STYLE, line=9)
    editor.found = (FileDiagnostics(uri, (moved,)),)
    assert (await editor.ask(path="a.py")).text == "a.py: 0 new, 1 fixed, 1 unchanged"
    editor.found = (FileDiagnostics(uri, (moved, moved)),)
    assert (await editor.ask()).text.startswith("a.py: 1 new, 0 fixed, 1 unchanged\n")


async def test_hints_are_only_counted(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n"})
    editor = Editor(ws)
    editor.found = (FileDiagnostics(ws.uri("a.py"), (_HINT, _TYPO, _HINT)),)
    result = await editor.ask(path="a.py")
    assert result.text.splitlines() == [
        "a.py: 1 new, 0 fixed, 0 unchanged (2 hints left out)",
        "  3: error: undefined name 'x' (linter)",
    ]
    assert result.outcome == "1 finding"
    editor.found = (FileDiagnostics(ws.uri("a.py"), (_HINT,)),)
    assert (await editor.ask(path="a.py")).text == (
        "a.py: 0 new, 1 fixed, 0 unchanged (1 hint left out)"
    )


async def test_without_a_path_it_is_said_which_files_are_covered(workspace: MakeWorkspace) -> None:
    """Clean ones are not listed, and what was not told yet is not taken for clean."""
    ws = await workspace(dict.fromkeys(("a.py", "b.py", "c.py"), "x\n"))
    editor = Editor(ws)
    nothing = "No findings.\n[no file was checked so far; give a path to ask about one]"
    assert (await editor.ask()).text == nothing
    editor.found = (
        FileDiagnostics(ws.uri("a.py"), ()),
        FileDiagnostics(ws.uri("b.py"), (_STYLE, _HINT)),
        FileDiagnostics(ws.uri("c.py"), (), pending=True),
    )
    assert (await editor.ask()).text.splitlines() == [
        "b.py: 1 new, 0 fixed, 0 unchanged (1 hint left out)",
        "  1: information: could be shorter",
        "c.py: pending; ask again in a moment.",
        "[of the 3 files checked so far; give a path to ask about another]",
    ]
    editor.found = (FileDiagnostics(ws.uri("a.py"), (_HINT,)),)
    assert (await editor.ask()).text == f"No findings.\n{_ONE}"


async def test_the_newest_text_is_what_is_asked_about(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n", "b.py": ""})
    ws.open("a.py", "y\n")
    ws.edit("a.py", "z\n", version=7)
    editor = Editor(ws)
    editor.found = (FileDiagnostics(ws.uri("a.py"), (), pending=True),)
    assert (await editor.ask(path="a.py")).text == "a.py: pending; ask again in a moment."
    assert editor.asked == (Wanted(ws.uri("a.py"), 7),)
    editor.found = ()
    nobody = await editor.ask(path="b.py")
    assert nobody.error
    assert nobody.text.startswith("No compiler or linter told anything of b.py.\n")
    assert editor.asked == (Wanted(ws.uri("b.py"), None),)
    assert (await editor.ask(path="c.py")).error


async def test_many_findings_are_cut(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": ""})
    editor = Editor(ws)
    many = tuple(Diagnostic(n, Severity.WARNING, f"w{n}") for n in range(1, MAX_ITEMS + 6))
    editor.found = (FileDiagnostics(ws.uri("a.py"), many),)
    result = await editor.ask()
    assert result.omitted == 5
    assert result.text.endswith(f"[5 more; ask for one file, or fix these first]\n{_ONE}")


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
    assert "1: information: could be shorter" in text


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
    assert (await edited("y", "z")).endswith("\n[findings are not known yet]")
    assert "findings" not in await edited("x", "y", "notes.md")
    assert len(asked) == 4


async def edited(ws: Workspace, *told: tuple[FileDiagnostics, ...] | None) -> list[str]:
    """What an edit says of findings, where these are known before it and after it."""
    answers = list(told)

    async def tell(
        _wanted: tuple[Wanted, ...], _seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        return answers.pop(0)

    context = ws.context(diagnostics=tell, edits=Hands(ws))
    call = ToolCall("call", "Edit", {"path": "a.py", "old_text": "x", "new_text": "y"})
    result = await call_tool(registry((Edit(),)), call, context, permit_direct_call)
    assert not result.error, result.text
    assert answers == []
    ws.write("a.py", "x = 1\n")
    return result.text.splitlines()[2:]


async def test_an_edit_says_what_is_not_known_and_what_is_gone(workspace: MakeWorkspace) -> None:
    """Silence says that nothing was brought, or that nobody could tell."""
    ws = await workspace({"a.py": "x = 1\n"})
    uri = ws.uri("a.py")
    late = (FileDiagnostics(uri, (), pending=True),)
    clean, wrong = (FileDiagnostics(uri, (_HINT,)),), (FileDiagnostics(uri, (_TYPO, _TYPO)),)
    unknown = ["[findings are not known yet]"]
    assert await edited(ws, late) == unknown  # what was there before would count as new
    assert await edited(ws, clean, late) == unknown
    assert await edited(ws, clean, None) == unknown  # the server died meanwhile
    assert await edited(ws, None) == []
    assert await edited(ws, ()) == []
    assert await edited(ws, clean, clean) == []
    assert await edited(ws, wrong, clean) == ["[2 findings less]"]
    assert await edited(ws, clean, wrong[:1]) == [
        "New findings since the edit:",
        *["a.py:3: error: undefined name 'x' (linter)"] * 2,
    ]


async def test_of_many_files_the_findings_of_some_are_not_known(workspace: MakeWorkspace) -> None:
    ws = await workspace({f"f{number}.py": "x\n" for number in range(12)})
    documents = [ws.snapshot.read(f"f{number}.py") for number in range(12)]
    after = [each for each in documents if isinstance(each, Document)]
    asked: list[int] = []

    async def tell(wanted: tuple[Wanted, ...], _seconds: float) -> tuple[FileDiagnostics, ...]:
        asked.append(len(wanted))
        return tuple(FileDiagnostics(each.uri, ()) for each in wanted)

    context = ws.context(diagnostics=tell)
    before = await findings_now(context, [each.uri for each in after])
    said = await new_findings(context, before, after)
    assert said == "[findings of 2 files are not known yet]"
    assert asked == [10, 10]
