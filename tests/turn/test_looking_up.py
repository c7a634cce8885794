"""What is looked up for a task."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from glossator.core.tool_result import ToolResult
from glossator.permissions import Deny
from glossator.tools import ReadState, ToolContext
from glossator.turn import lookup
from glossator.turn.calls import permit_direct_call
from glossator.turn.lookup import MAX_CHARACTERS, look_up
from glossator.workspace import FileEntry
from tests.workspaces import MakeWorkspace, Workspace

HERD = "class Herd:\n" + "".join(
    f"    def step_{n}(self):\n        grass = {n}\n        return grass\n\n" for n in range(40)
)


async def looked_up(ws: Workspace, query: str) -> ToolResult:
    reads = ReadState()
    context = ws.context(reads=reads)
    found = await look_up(query, context, permit_direct_call, reads)
    assert all(reads.covers(each) for each in found.spans)
    return found


async def test_a_long_class_shows_its_members_and_those_that_are_named(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"herd.py": HERD})
    text = (await looked_up(ws, "What does step_30 of `Herd` return?")).text
    defined = text.partition("\n\n")[0]
    assert "herd.py:1-160  [class, not all of it]" in text
    assert text.count("        grass = 30\n") == 1
    assert "        grass = 20\n" not in defined
    assert "82\t    def step_20(self):" in text
    assert "go on with Read" not in text


async def test_of_a_function_without_room_the_first_line_is_shown_and_its_file_is_searched(
    workspace: MakeWorkspace,
) -> None:
    steps = "".join(f"    herd.walk_{n}('over the hill to the grass')\n" for n in range(150))
    late = "    herd.shear('wool')\n"
    others = {f"o{n}.py": "def shear(wool):\n    return wool\n" for n in range(9)}
    ws = await workspace({"herd.py": f"def drive(herd):\n{steps}{late}", **others})
    found = await looked_up(ws, "Where does `drive` shear wool?")
    first = "herd.py:1-152  [function, not all of it]\n1\tdef drive(herd):\n\n"
    assert found.text.startswith(first)
    assert found.places[1].path == "herd.py"
    assert f"152\t{late}".rstrip() in found.text.split("\n\n")[1]


async def test_lines_are_shown_once(workspace: MakeWorkspace) -> None:
    code = "import os\n\n\ndef graze():\n    return os.sep\n"
    ws = await workspace({"herd.py": code, "other.py": "print('graze')\n"})
    text = (await looked_up(ws, "What does `graze` return, and what `herd.graze`?")).text
    assert text.count("    return os.sep") == 1
    assert text.startswith("herd.py:4-5  [function]\n4\tdef graze():\n5\t    return os.sep")


async def test_what_imports_a_name_is_no_definition(workspace: MakeWorkspace) -> None:
    uses = {f"u{n}.js": f"const graze = require('./graze')\ngraze({n})\n" for n in range(5)}
    real = "function graze (herd) {\n  return herd\n}\n\nmodule.exports = graze\n"
    ws = await workspace({**uses, "graze.js": real})
    text = (await looked_up(ws, "What does `graze` return?")).text
    assert text.startswith("graze.js:1-3  [function]\n1\tfunction graze (herd) {\n2\t  return herd")


GO = "package zoo\n\ntype Herd struct {\n\tsize int\n}\n\n" + "".join(
    f"func (h *Herd) Step{n}() int {{\n\tgrass := {n}\n\treturn grass\n}}\n\n" for n in range(30)
)


async def test_methods_that_stand_outside_of_their_type_are_listed(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"herd.go": GO, "other.go": "package zoo\n\nvar Grass = 1\n"})
    text = (await looked_up(ws, "How does `Herd` find grass in Step7?")).text
    assert text.startswith("herd.go:3-5  [struct, not all of it]\n3\ttype Herd struct {\n7\tfunc")
    assert text.count("grass := 7\n") == 1


def shaped(word: str, count: int) -> str:
    return "".join(f"def {word}_{n}():\n    return '{word} of grass {n}'\n\n" for n in range(count))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Where does the field grow grass?", "field.py"),
        ("What does barn.py say about the grass of a field?", "barn.py"),
        ("What does old/zoo/barn.py say about the grass of a field?", "barn.py"),
        ("Is there grass of a field in stable/?", "field.py"),  # one word is no path
        ("Is there grass of a field in the folder farm/stable?", "farm/stable/box.py"),
    ],
)
async def test_files_that_are_named_come_first(
    workspace: MakeWorkspace, query: str, first: str
) -> None:
    files = {"field.py": "field", "barn.py": "barn", "farm/stable/box.py": "box"}
    ws = await workspace({path: shaped(word, 3) for path, word in files.items()})
    found = await looked_up(ws, query)
    assert found.places[0].path == first
    assert {each.path for each in found.places} == files.keys()


async def test_inside_a_named_file_whole_words_are_looked_for(workspace: MakeWorkspace) -> None:
    """A name is left out of them, and not its letters in other words."""
    gate = "def gate():\n    return 'provider of grazing'\n\n"
    herd = f"{shaped('barn', 40)}{gate}{shaped('hay', 40)}"
    others = {f"b{n}.py": f"provider = 'provider {n}'\n" for n in range(12)}
    ws = await workspace({"herd.py": herd, **others})
    found = await looked_up(ws, "Which provider has `id` in herd.py?")
    assert "provider of grazing" in found.text.partition("\n\n")[0]


async def test_tests_come_last_and_all_is_bounded(workspace: MakeWorkspace) -> None:
    files = {f"tests/test_grass_{n}.py": shaped("grass", 40) for n in range(8)}
    ws = await workspace({**files, "herd.py": "def eat(herd):\n    return herd.grass\n"})
    found = await looked_up(ws, "How is grass eaten?")
    assert found.places[0].path == "herd.py"
    assert MAX_CHARACTERS - 3_000 < len(found.text) <= MAX_CHARACTERS
    asked = await looked_up(ws, "Which tests grow grass?")
    assert asked.places[0].path != "herd.py"


async def test_what_may_not_be_searched_is_not_shown(workspace: MakeWorkspace) -> None:
    ws = await workspace({"herd.py": "def graze():\n    return 1\n", "b.py": "graze = 1\n"})
    ws.hidden = lambda path: path.endswith("herd.py")
    hidden = await looked_up(ws, "What does `graze` in herd.py return?")
    assert [each.path for each in hidden.places] == ["b.py"]

    async def deny(*_: object) -> Deny:
        return Deny("No searches here.")

    reads = ReadState()
    denied = await look_up("What does `graze` return?", ws.context(reads=reads), deny, reads)
    assert (denied.error, denied.text) == (True, "No searches here.")


async def test_of_many_paths_the_first_are_looked_up(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def files_at(paths: Iterable[str], context: ToolContext) -> list[FileEntry]:
        asked.extend(paths)
        return at(paths, context)

    at = lookup._files_at
    monkeypatch.setattr(lookup, "_files_at", files_at)
    ws = await workspace({"src/herd.py": "def graze():\n    return 1\n"})
    paths = ("lib/src/herd.py", *(f"a/{n}.py" for n in range(20)))
    text = (await looked_up(ws, " ".join(paths))).text
    assert asked == [*paths[:6]]
    assert "src/herd.py" in text  # by its name
