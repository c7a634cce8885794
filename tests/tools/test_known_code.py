"""Symbols and Rename, where language servers answer: what they tell, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import (
    CodeAnswer,
    CodeEdit,
    CodeKind,
    CodePlace,
    CodeQuestion,
    CodeServers,
)
from glossator.core.document import Document
from glossator.core.span import Span
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_uri
from glossator.edits.edit_tools import Edit
from glossator.edits.rename_tool import Rename, RenameArgs
from glossator.llm.model import ToolCall
from glossator.symbols.find import Limits
from glossator.symbols.symbols_tool import Symbols
from glossator.tools.base import registry
from glossator.turn.calls import call_tool, permit_direct_call
from tests.tools.hands import Hands
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "zoo/fish.py": """\
class Fish:
    def swim(self, depth):
        return press(depth)


def press(depth):
    return depth
""",
    "zoo/bird.py": "class Bird:\n    def swim(self):\n        return '💧', Bird().swim()\n",
    "app.py": "from zoo.fish import press as push\n\npush(3)\n# press\n",
    "secret/keys.py": "from zoo.fish import press\n\npress(1)\n",
}
TOOLS = registry((Symbols(), Rename(), Edit()))


@dataclass
class Known(CodeServers):
    """Answers as it is told to, by the kind of the question."""

    answers: Mapping[CodeKind, CodeAnswer | str]
    asked: list[CodeQuestion] = field(default_factory=list)
    there: bool = True

    async def ask(
        self, question: CodeQuestion, _seconds: float, *, begins: bool = True
    ) -> CodeAnswer | str:
        assert begins
        self.asked.append(question)
        return self.answers.get(question.kind, "it knows nothing of that")

    @property
    def are_there(self) -> bool:
        return self.there

    @property
    def tells_diagnostics(self) -> bool:
        return False

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        return None


def told(ws: Workspace, *places: tuple[str, int], by: str = "pyls", name: str = "") -> CodeAnswer:
    """An answer with places by path and 1-based line."""
    return CodeAnswer(by, tuple(CodePlace(ws.uri(path), at - 1, name) for path, at in places))


async def called(
    ws: Workspace, known: Known, tool: str = "Symbols", hands: Hands | None = None, **given: object
) -> ToolResult:
    context = ws.context()
    context = replace(context, abilities=(*context.abilities, known), edits=hands)
    return await call_tool(TOOLS, ToolCall("call", tool, given), context, permit_direct_call)


async def test_references_are_those_of_the_server(workspace: MakeWorkspace) -> None:
    """With what the parser knows of them; a use under another name is one, a comment is none."""
    ws = await workspace(FILES)
    places = ("zoo/fish.py", 6), ("zoo/fish.py", 3), ("app.py", 1), ("app.py", 3)
    known = Known({CodeKind.REFERENCES: told(ws, *places)})
    result = await called(ws, known, mode="references", name="press")
    assert result.text.splitlines() == [
        "app.py:1:from zoo.fish import press as push  [import]",
        "app.py:3:push(3)  [reference]",
        "zoo/fish.py:3:        return press(depth)  [call in Fish > swim]",
        "zoo/fish.py:6:def press(depth):  [definition]",
        (
            "[also spelled so in secret/keys.py: of other symbols, or of files that pyls does not"
            " read]"
        ),
        "[by pyls]",
    ]
    (asked,) = known.asked
    assert (asked.uri, asked.line, asked.before) == (ws.uri("zoo/fish.py"), 5, "def ")
    assert asked.text == FILES["zoo/fish.py"]
    assert {(span.first_line, span.last_line) for span in result.spans} == {(1, 1), (3, 3), (6, 6)}
    below = await called(ws, known, mode="references", name="press", path="zoo")
    assert below.text.count("\n") == 2
    assert "app.py" not in below.text


async def test_an_import_is_no_call_that_the_server_left_out(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "more.py": "from zoo.fish import press\n"})
    known = Known({CodeKind.CALLERS: told(ws, ("zoo/fish.py", 3))})
    result = await called(ws, known, mode="callers", name="press")
    assert "also spelled so in secret/keys.py: " in result.text
    assert "more.py" not in result.text


async def test_a_shared_name_is_told_apart(workspace: MakeWorkspace) -> None:
    """By its qualified name or a line; else by spelling, and the result says why."""
    ws = await workspace(FILES)
    known = Known({CodeKind.CALLERS: told(ws, ("zoo/bird.py", 3), name="swim")})
    apart = await called(ws, known, mode="callers", name="swim")
    assert apart.text.endswith(
        "[by name alone: 2 definitions have this name (Bird.swim zoo/bird.py:2, Fish.swim"
        " zoo/fish.py:2): qualify it, or give path and line]"
    )
    assert known.asked == []
    qualified = await called(ws, known, mode="callers", name="Bird.swim")
    assert qualified.text == (
        "zoo/bird.py:3:        return '💧', Bird().swim()  [call in Bird > swim]\n"
        "[also named so, and not counted: Fish.swim zoo/fish.py:2]\n[by pyls]"
    )
    await called(ws, known, mode="callers", name="swim", path="zoo/bird.py", line=3)
    assert known.asked[-1].before == "        return '💧', Bird()."
    wrong = await called(ws, known, mode="callers", name="swim", path="zoo/bird.py", line=1)
    assert wrong.error
    assert "does not stand on line 1" in wrong.text
    nowhere = await called(ws, known, mode="callers", name="swim", line=1)
    assert "Give path, too" in nowhere.text


async def test_without_an_answer_the_spelling_counts(workspace: MakeWorkspace) -> None:
    """And the result says why; where no server is there at all, nothing is said."""
    ws = await workspace(FILES)
    starting = Known({CodeKind.REFERENCES: "pyls is still starting"})
    result = await called(ws, starting, mode="references", name="press")
    assert result.text.endswith("\n[by name alone: pyls is still starting]")
    assert "zoo/fish.py:3:" in result.text
    for silent in (Known({CodeKind.REFERENCES: ""}), Known({}, there=False)):
        plain = await called(ws, silent, mode="references", name="press")
        assert "by name alone" not in plain.text
        refused = await called(ws, silent, mode="implementations", name="press")
        assert refused.error
        assert refused.text.endswith(
            "\nUse Grep, or ask again in a moment if a server is only late."
        )
    typed = await called(ws, Known({}), mode="type", name="press")
    assert typed.text.endswith("\n[by name alone: it knows nothing of that]")
    defined = await called(ws, Known({}), name="push", path="app.py", line=3)
    assert "Found no definitions of push." in defined.text


async def test_callees_implementations_and_types(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    known = Known(
        {
            CodeKind.CALLEES: told(ws, ("zoo/fish.py", 6), name="press"),
            CodeKind.IMPLEMENTATIONS: told(ws, ("zoo/bird.py", 1)),
            CodeKind.TYPE: CodeAnswer("pyls", text="(function) press(depth) -> int"),
            CodeKind.DEFINITIONS: told(ws, ("zoo/fish.py", 6)),
        }
    )
    callees = await called(ws, known, mode="callees", name="Fish.swim")
    assert callees.text == ("zoo/fish.py:6:def press(depth):  [function, lines 6-7]\n[by pyls]")
    implementations = await called(ws, known, mode="implementations", name="Fish")
    assert "zoo/bird.py:1:class Bird:" in implementations.text
    typed = await called(ws, known, mode="hover", name="press")
    assert typed.text == (
        "zoo/fish.py:6:def press(depth):\n(function) press(depth) -> int\n[by pyls]"
    )
    defined = await called(ws, known, name="push", path="app.py", line=3)
    assert defined.text == callees.text


async def test_what_rules_hide_stays_hidden(workspace: MakeWorkspace) -> None:
    """Its places are counted only, and a text that may quote it is not shown."""
    ws = await workspace(FILES)
    ws.hidden = lambda path: "/secret/" in path
    outside = CodePlace(to_uri("/usr/lib/fish.py"), 1)
    answer = told(ws, ("zoo/fish.py", 3), ("secret/keys.py", 3))
    known = Known(
        {
            CodeKind.REFERENCES: replace(answer, places=(*answer.places, outside)),
            CodeKind.DEFINITIONS: told(ws, ("secret/keys.py", 1)),
            CodeKind.TYPE: CodeAnswer("pyls", text="the key is 1234"),
        }
    )
    result = await called(ws, known, mode="references", name="press")
    assert "[2 more in notebooks, outside, or hidden by rules]" in result.text
    assert "press(1)" not in result.text
    for name in ("press", "Fish"):  # also where nothing that is asked about is hidden
        typed = await called(ws, known, mode="type", name=name)
        assert "1234" not in typed.text
        assert "may quote files" in typed.text
    angry = Known({CodeKind.REFERENCES: "pyls refused the question: key = 1234"})
    refused = await called(ws, angry, mode="references", name="press")
    assert refused.text.endswith("[by name alone: pyls refused the question]")
    at = await called(ws, known, mode="type", name="press", path="secret/keys.py", line=3)
    assert at.error


def edit(ws: Workspace, path: str, line: int, start: int, end: int, text: str) -> CodeEdit:
    """An edit within a line, which is 1-based."""
    return CodeEdit(ws.uri(path), line - 1, start, line - 1, end, text)


def renaming(ws: Workspace, *edits: CodeEdit) -> Known:
    return Known({CodeKind.RENAME: CodeAnswer("pyls", edits=edits)})


async def test_a_rename_is_one_edit_over_all_files(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    hands = Hands(ws)
    known = renaming(
        ws,
        edit(ws, "zoo/fish.py", 6, 4, 9, "squeeze"),
        edit(ws, "zoo/fish.py", 3, 15, 20, "squeeze"),
        edit(ws, "app.py", 1, 21, 26, "squeeze"),
    )
    result = await called(ws, known, "Rename", hands, name="press", new_name="squeeze")
    assert not result.error, result.text
    (plan,) = hands.plans
    assert plan.label == "Rename press to squeeze"
    assert (ws.root / "app.py").read_text().startswith("from zoo.fish import squeeze as push\n")
    assert "return squeeze(depth)" in (ws.root / "zoo/fish.py").read_text()
    assert result.text.splitlines() == [
        "Renamed press to squeeze on 3 lines of 2 files.",
        "app.py: 1",
        "zoo/fish.py: 3, 6",
        (
            "Still spelled so: secret/keys.py:1, 3; of other symbols, or of files left out by the"
            " server."
        ),
        "In comments, strings or documents: app.py:4.",
    ]
    assert plan.as_one
    assert known.asked[0].new_name == "squeeze"


async def test_characters_count_in_the_servers_encoding(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    for encoding, start in (("utf-16", 28), ("utf-8", 30), ("utf-32", 27)):
        ws.write("zoo/bird.py", FILES["zoo/bird.py"])
        at = edit(ws, "zoo/bird.py", 3, start, start + 4, "fly")
        answer = CodeAnswer("pyls", edits=(at,), encoding=encoding)  # type: ignore[arg-type]
        known = Known({CodeKind.RENAME: answer})
        result = await called(ws, known, "Rename", Hands(ws), name="Bird.swim", new_name="fly")
        assert not result.error, result.text
        assert "'💧', Bird().fly()" in (ws.root / "zoo/bird.py").read_text(), encoding


async def test_what_is_judged_is_the_whole_rename(workspace: MakeWorkspace) -> None:
    """Rules and the user see every file, before anything is done."""
    ws = await workspace(FILES)
    known = renaming(
        ws,
        edit(ws, "zoo/fish.py", 6, 4, 9, "squeeze"),
        edit(ws, "app.py", 1, 21, 26, "squeeze"),
    )
    context = ws.context()
    context = replace(context, abilities=(*context.abilities, known), edits=Hands(ws))
    ready = await RenameArgs(name="press", new_name="squeeze").prepared(context)
    assert ready.reached(ws.snapshot) == tuple(
        str(ws.root / path) for path in ("app.py", "zoo/fish.py")
    )
    assert ready.asked_to() == "Rename press to squeeze in 2 files"
    preview = ready.preview(context)
    assert "-from zoo.fish import press as push" in preview
    assert "+def squeeze(depth):" in preview
    files = [str(ws.root / path) for path in ("app.py", "zoo/fish.py")]
    assert ready.of_tool() == {"name": "press", "new_name": "squeeze", "files": files}
    assert ready.with_of_tool(ready.of_tool()) == {"name": "press", "new_name": "squeeze"}


Broken = Callable[[Workspace], tuple[Known, str]]


def _outside(ws: Workspace) -> tuple[Known, str]:
    at = CodeEdit(to_uri("/etc/hosts"), 0, 0, 0, 1, "x")
    return renaming(ws, edit(ws, "app.py", 1, 21, 26, "x"), at), "cannot be changed here"


def _stale(ws: Workspace) -> tuple[Known, str]:
    return renaming(ws, edit(ws, "app.py", 90, 1, 2, "x")), "has not read the newest text"


def _overlapping(ws: Workspace) -> tuple[Known, str]:
    both = edit(ws, "app.py", 1, 1, 5, "x"), edit(ws, "app.py", 1, 3, 8, "y")
    return renaming(ws, *both), "has not read the newest text"


def _beside(ws: Workspace) -> tuple[Known, str]:
    """As of a text in which the line began with another character."""
    return renaming(ws, edit(ws, "app.py", 1, 22, 27, "squeeze")), "not the name alone"


def _another(ws: Workspace) -> tuple[Known, str]:
    """As of a text with other lines."""
    return renaming(ws, edit(ws, "zoo/fish.py", 1, 6, 10, "squeeze")), "not the name alone"


def _more(ws: Workspace) -> tuple[Known, str]:
    """What a plugin of a workspace would like to have written."""
    text = "squeeze(depth):\n    import os\n\n\ndef squeeze"
    return renaming(ws, edit(ws, "zoo/fish.py", 6, 4, 9, text)), "not the name alone"


def _refused(_: Workspace) -> tuple[Known, str]:
    return Known(
        {CodeKind.RENAME: CodeAnswer("pyls", refused="not a name")}
    ), "pyls refuses it and says: not a"


def _files(_: Workspace) -> tuple[Known, str]:
    return Known({CodeKind.RENAME: CodeAnswer("pyls", files_too=True)}), "Use Move"


def _nothing(_: Workspace) -> tuple[Known, str]:
    return Known({CodeKind.RENAME: CodeAnswer("pyls")}), "found nothing to rename"


def _silent(_: Workspace) -> tuple[Known, str]:
    return Known({CodeKind.RENAME: "pyls ended"}), "pyls ended.\nLook the uses up"


@pytest.mark.parametrize(
    "broken",
    [_outside, _stale, _overlapping, _beside, _another, _more, _refused, _files, _nothing, _silent],
)
async def test_a_rename_that_cannot_be_whole_is_not_made(
    broken: Broken, workspace: MakeWorkspace
) -> None:
    ws = await workspace(FILES)
    hands = Hands(ws)
    known, why = broken(ws)
    result = await called(ws, known, "Rename", hands, name="press", new_name="squeeze")
    assert result.error
    assert result.text.startswith("Nothing was renamed: ")
    assert why in result.text
    assert result.text.endswith("ook the uses up with Symbols, and edit them.")
    assert hands.plans == []


async def test_a_rename_changes_nothing_that_rules_hide(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    ws.hidden = lambda path: "/secret/" in path
    known = renaming(ws, edit(ws, "secret/keys.py", 3, 0, 5, "squeeze"))
    result = await called(ws, known, "Rename", Hands(ws), name="press", new_name="squeeze")
    assert result.error
    assert (ws.root / "secret/keys.py").read_text() == FILES["secret/keys.py"]


async def test_where_one_name_stands_for_two_the_other_is_added(workspace: MakeWorkspace) -> None:
    files = {
        "a.ts": "export const press = 1;\n",
        "b.ts": 'import { press } from "./a";\n\nexport const all = { press };\n',
        "c.ts": 'import { all } from "./b";\n\nall.press;\n',
    }
    ws = await workspace(files)
    known = renaming(
        ws,
        edit(ws, "a.ts", 1, 13, 18, "squeeze"),
        edit(ws, "b.ts", 1, 9, 14, "squeeze as press"),
        edit(ws, "b.ts", 3, 21, 21, "press: "),
        edit(ws, "b.ts", 3, 21, 26, "squeeze"),
    )
    result = await called(ws, known, "Rename", Hands(ws), name="press", new_name="squeeze")
    assert not result.error, result.text
    assert (ws.root / "b.ts").read_text() == (
        'import { squeeze as press } from "./a";\n\nexport const all = { press: squeeze };\n'
    )
    assert result.text.splitlines()[3:] == [
        "Still named so for others: b.ts:1, 3.",
        (
            "Still spelled so: c.ts:3; through that name, of other symbols, or of files left out by"
            " the server."
        ),
    ]


async def test_a_rename_keeps_to_the_file_that_is_named(workspace: MakeWorkspace) -> None:
    """A parameter has no definition of its own: no other symbol is taken for it."""
    ws = await workspace({"a.py": "def go(run):\n    return run\n", "b.py": "def run(): ...\n"})
    known = renaming(ws, edit(ws, "b.py", 1, 4, 7, "walk"))
    result = await called(ws, known, "Rename", Hands(ws), name="run", new_name="walk", path="a.py")
    assert "no definition of it was found" in result.text
    await called(ws, known, "Rename", Hands(ws), name="run", new_name="walk", path="b.py")
    assert (ws.root / "b.py").read_text() == "def walk(): ...\n"
    for wrong in ("x y-z", "a.b", "1"):
        result = await called(ws, known, "Rename", Hands(ws), name="run", new_name=wrong)
        assert "is no name" in result.text


async def test_a_name_may_begin_with_a_sign(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.js": "const $el = 1;\nuse($el);\n", "b.md": "`$el`\n"})
    known = Known(
        {
            CodeKind.REFERENCES: told(ws, ("a.js", 1), ("a.js", 2)),
            CodeKind.RENAME: CodeAnswer(
                "pyls", edits=(edit(ws, "a.js", 1, 6, 9, "$box"), edit(ws, "a.js", 2, 4, 7, "$box"))
            ),
        }
    )
    used = await called(ws, known, mode="references", name="$el")
    assert "a.js:2:use($el);  [reference]" in used.text
    result = await called(ws, known, "Rename", Hands(ws), name="$el", new_name="$box")
    assert result.text.splitlines()[1:] == [
        "a.js: 1-2",
        "In comments, strings or documents: b.md:1.",
    ]


async def test_a_name_that_stands_at_another_one_is_that_name(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.sh": "foo=1\nbar=2\necho $foo$bar\n"})
    edits = edit(ws, "a.sh", 1, 0, 3, "baz"), edit(ws, "a.sh", 3, 6, 9, "baz")
    known = Known(
        {
            CodeKind.REFERENCES: told(ws, ("a.sh", 1), ("a.sh", 3)),
            CodeKind.RENAME: CodeAnswer("bash", edits=edits),
        }
    )
    place: dict[str, Any] = {"name": "foo", "path": "a.sh", "line": 3}
    used = await called(ws, known, mode="references", **place)
    assert "a.sh:1:foo=1  [definition" in used.text
    result = await called(ws, known, "Rename", Hands(ws), new_name="baz", **place)
    assert result.text.startswith("Renamed foo to baz on 2 lines")


async def test_two_names_of_one_file_are_one_file(workspace: MakeWorkspace) -> None:
    ws = await workspace({"lib/a.py": "def press(): ...\n\n\npress()\n"})
    (ws.root / "src").symlink_to("lib")
    known = renaming(
        ws,
        edit(ws, "lib/a.py", 1, 4, 9, "squeeze"),
        edit(ws, "src/a.py", 4, 0, 5, "squeeze"),
    )
    result = await called(ws, known, "Rename", Hands(ws), name="press", new_name="squeeze")
    assert not result.error, result.text
    assert (ws.root / "lib/a.py").read_text() == "def squeeze(): ...\n\n\nsqueeze()\n"


async def test_overloads_of_one_file_are_several_symbols(workspace: MakeWorkspace) -> None:
    """Where a language has several by one name; in Python a later one replaces the first."""
    java = "class A {\n    void f(int a) {}\n    void f(String a) {}\n}\n"
    python = "if x:\n    def g(): ...\nelse:\n    def g(): ...\n"
    ws = await workspace({"A.java": java, "a.py": python})
    known = Known({CodeKind.REFERENCES: told(ws, ("a.py", 2))})
    several = await called(ws, known, mode="references", name="f")
    assert "2 definitions have this name (A.f A.java:2, A.f A.java:3)" in several.text
    assert "[by pyls]" in (await called(ws, known, mode="references", name="g")).text


async def test_of_several_on_a_line_the_one_that_is_qualified_so(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "class A:\n    def go(self, run):\n        self.run = run\n"})
    known = Known({CodeKind.REFERENCES: told(ws, ("a.py", 3))})
    for name, before in (("self.run", "        self."), ("run", "        self.run = ")):
        await called(ws, known, mode="references", name=name, path="a.py", line=3)
        assert known.asked[-1].before == before


async def test_notebooks_are_left_out(workspace: MakeWorkspace) -> None:
    """Servers count lines of cells, and results those of the file."""
    ws = await workspace({**FILES, "n.ipynb": '{"cells": [], "nbformat": 4}\n'})
    known = Known(
        {
            CodeKind.REFERENCES: told(ws, ("n.ipynb", 1), ("zoo/fish.py", 6)),
            CodeKind.RENAME: CodeAnswer("pyls", edits=(edit(ws, "n.ipynb", 1, 2, 7, "x"),)),
        }
    )
    result = await called(ws, known, mode="references", name="press")
    assert "n.ipynb" not in result.text
    assert "[1 more in notebooks" in result.text
    renamed = await called(ws, known, "Rename", Hands(ws), name="press", new_name="x")
    assert "n.ipynb is a notebook.\n" in renamed.text


async def test_where_the_name_stays_is_told(workspace: MakeWorkspace) -> None:
    """A method of another class may override it; and what is on a line beside it counts."""
    ws = await workspace(
        {
            **FILES,
            "notes.md": "Call `swim`.\nswim, swim\nswimming\n",
            "both.py": "from zoo import Bird, Fish\n\nBird().swim(Fish().swim(1))  # swim\n",
        }
    )
    known = renaming(
        ws,
        edit(ws, "zoo/bird.py", 2, 8, 12, "fly"),
        edit(ws, "both.py", 3, 7, 11, "fly"),
    )
    result = await called(ws, known, "Rename", Hands(ws), name="Bird.swim", new_name="fly")
    assert result.text.splitlines()[3:] == [
        (
            "Still spelled so: both.py:3, zoo/bird.py:3, zoo/fish.py:2; of other symbols, or of"
            " files left out by the server."
        ),
        "Also methods so named, perhaps overrides: Fish.swim zoo/fish.py:2.",
        "In comments, strings or documents: notes.md:1-2.",
    ]


async def test_nothing_is_told_where_no_name_stays(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless not all files were looked at."""
    for texts, said in ((300, []), (0, ["not all files were looked at"])):
        monkeypatch.setattr("glossator.edits.left_names._MAX_TEXTS", texts)
        ws = await workspace({"a.py": "def x(): ...\n"})
        known = renaming(ws, edit(ws, "a.py", 1, 4, 5, "y"))
        result = await called(ws, known, "Rename", Hands(ws), name="x", new_name="y")
        told = result.text.splitlines()[2:]
        assert len(told) == len(said)
        assert all(part in line for part, line in zip(said, told, strict=True))


async def test_code_that_was_not_looked_through_is_no_comment(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.edits.left_names._CODE", Limits(texts=1, hits=9))
    ws = await workspace({"a.py": "def x(): ...\n", "b.py": "x()\n", "c.md": "x\n"})
    known = renaming(ws, edit(ws, "a.py", 1, 4, 5, "y"))
    result = await called(ws, known, "Rename", Hands(ws), name="x", new_name="y")
    assert result.text.splitlines()[2:] == [
        "In comments, strings or documents: c.md:1, and perhaps others."
    ]


async def test_words_in_what_rules_hide_are_not_told(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "def x(): ...\n", "secret/b.md": "x\n", "secret/c.py": "x()\n"})
    ws.hidden = lambda path: "/secret/" in path
    known = renaming(ws, edit(ws, "a.py", 1, 4, 5, "y"))
    result = await called(ws, known, "Rename", Hands(ws), name="x", new_name="y")
    assert "secret" not in result.text


async def test_no_name_is_given_that_the_class_has_already(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "class A:\n    def x(self): ...\n\n    def y(self): ...\n"})
    for given in ({"name": "A.y"}, {"name": "y", "path": "a.py", "line": 4}):
        taken = await called(ws, renaming(ws), "Rename", Hands(ws), **given, new_name="x")
        assert taken.text == "Nothing was renamed: A has x already.\nChoose another name."


async def test_lines_read_before_a_rename_are_known_after_it(workspace: MakeWorkspace) -> None:
    """It is no change by others; lines that were not shown may be cited, but not edited."""
    ws = await workspace(FILES)
    await ws.call("Read", path="zoo/fish.py", offset=1, limit=3)
    known = renaming(
        ws,
        edit(ws, "zoo/fish.py", 6, 4, 9, "squeeze"),
        edit(ws, "zoo/fish.py", 3, 15, 20, "squeeze"),
        edit(ws, "app.py", 1, 21, 26, "squeeze"),
    )
    await called(ws, known, "Rename", Hands(ws), name="press", new_name="squeeze")
    for path, shown, cited in (("zoo/fish.py", {1, 2, 3}, {1, 2, 3, 6}), ("app.py", set(), {1})):
        now = read(ws, path)
        assert ws.reads.last(now.path) == now
        assert ws.reads.lines(now) == shown
        assert citable(ws, now) == cited


async def test_lines_that_a_rename_told_stay_citable_after_an_edit(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(FILES)
    known = renaming(ws, edit(ws, "zoo/fish.py", 6, 4, 9, "squeeze"))
    await called(ws, known, "Rename", Hands(ws), name="press", new_name="squeeze")
    given = {"path": "zoo/fish.py", "old_text": "class Fish:", "new_text": "# A fish.\nclass Fish:"}
    edited = await called(ws, known, "Edit", Hands(ws), **given)
    assert not edited.error, edited.text
    assert 7 in citable(ws, read(ws, "zoo/fish.py"))


def read(ws: Workspace, path: str) -> Document:
    found = ws.snapshot.read(path)
    assert isinstance(found, Document)
    return found


def citable(ws: Workspace, document: Document) -> set[int]:
    lines = range(1, len(document.lines) + 1)
    missing = ws.reads.missing(Span(document.uri, document.sha256, 1, len(document.lines)))
    return set(lines) - set(missing)
