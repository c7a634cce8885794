"""Notebooks: cells are shown under the numbers of the file's lines, so that citations hold."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest

from glossator.core.edit import PlanView
from glossator.core.notebook import cell_on
from tests.tools.hands import Hands, call
from tests.tools.test_read import numbered, read_on, spanned
from tests.workspaces import MakeWorkspace

NOTEBOOK: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "\n", "Text"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {"tags": ["x"]},
            "outputs": [
                {"name": "stdout", "output_type": "stream", "text": ["hello \"you\"\n", "bye\n"]},
                {"data": {"image/png": "QUJD\n", "text/plain": ["<Figure>"]}, "metadata": {},
                 "output_type": "display_data"},
                {"ename": "KeyError", "evalue": "'k'", "output_type": "error", "traceback": []},
                {"name": "stderr", "output_type": "stream", "text": [f"w{n}\n" for n in range(25)]},
            ],
            "source": ["print('hello \\n')\n", "\n", "1 + \u00fc"],
        },
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": []},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip


@pytest.mark.parametrize("ascii_only", [True, False])
async def test_cells_stand_on_the_lines_of_the_file(
    workspace: MakeWorkspace, ascii_only: bool
) -> None:
    text = json.dumps(NOTEBOOK, indent=1, ensure_ascii=ascii_only, sort_keys=True)
    ws = await workspace({"n.ipynb": text})
    result = await ws.call("Read", path="n.ipynb")
    shown = numbered(result)
    assert [line for _, line in shown if line.startswith("# ")] == [
        "# cell 1 (markdown)",
        "# Title",
        "# cell 2 gave stdout",
        "# cell 2 gave image/png, text/plain",
        "# cell 2 gave KeyError",
        "# cell 2 gave stderr",
        "# [5 more lines of output]",
        "# cell 2 (code)",
        "# cell 3 (code)",
    ]
    file_lines = text.split("\n")
    for number, line in shown:
        if not line.startswith(("# cell", "# [")):
            key, _, value = file_lines[number - 1].strip().rstrip(",").rpartition('": ')
            assert key in ("", '"evalue')
            assert json.loads(value).removesuffix("\n") == line
    assert spanned(result) == sorted({number for number, _ in shown})

    where = await ws.call("Grep", pattern="hello ..n", output_mode="content")
    assert (
        int(where.text.split("\n")[1].split(":")[0])
        == {line: number for number, line in shown}[r"print('hello \n')"]
    )


@pytest.mark.parametrize("limit", [1, 5, 11])
async def test_paging(workspace: MakeWorkspace, limit: int) -> None:
    ws = await workspace({"n.ipynb": json.dumps(NOTEBOOK, indent=1)})
    whole = numbered(await ws.call("Read", path="n.ipynb"))
    ws.reads.forget_ranges()
    assert await read_on(ws, "n.ipynb", offset=1, limit=limit) == whole


async def test_a_notebook_on_one_line(workspace: MakeWorkspace) -> None:
    cells = [{"cell_type": "code", "source": [f"x{n} = 1\n" for n in range(9_000)]}]
    ws = await workspace({"n.ipynb": json.dumps({"cells": cells})})
    result = await ws.call("Read", path="n.ipynb")
    shown = numbered(result)
    assert {number for number, _ in shown} == {1}
    left_out = re.search(r"\[line 1 goes on for ([\d,]+) more lines of its cells\]$", result.text)
    assert left_out is not None
    assert len(shown) + int(left_out[1].replace(",", "")) == 9_001  # the label, too


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "[" * 9_000,
        '{"cells": null}',
        '{"cells": [3]}',
        '{"cells": [{"cell_type": "code"}]}',
        '{"cells": [{"cell_type": 1, "source": []}]}',
        '{"cells": [{"cell_type": "x", "source": 1}]}',
    ],
    ids=range(8),
)
async def test_what_is_no_notebook_is_shown_as_text(workspace: MakeWorkspace, text: str) -> None:
    ws = await workspace({"n.ipynb": text})
    result = await ws.call("Read", path="n.ipynb")
    assert not result.error
    assert numbered(result)[0][1].startswith(text[:2_000])
    assert "not a readable notebook" in result.text


@pytest.mark.parametrize("indent", [1, 2, None])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(
    ("edit", "cell", "source"),
    [
        (("1 + ü", "1 + 2\n3"), 1, ["print('hello \\n')\n", "\n", "1 + 2\n", "3"]),
        (("\n\n1 + ü", "\n"), 1, ["print('hello \\n')\n"]),
        (("print('hello \\n')\n\n", ""), 1, ["1 + ü"]),
        (("# Title\n\nText", '"é"'), 0, ['"é"']),
    ],
)
async def test_an_edit_changes_the_source_of_one_cell(
    workspace: MakeWorkspace,
    indent: int | None,
    ascii_only: bool,
    edit: tuple[str, str],
    cell: int,
    source: list[str],
) -> None:
    def written(notebook: dict[str, Any]) -> str:
        return json.dumps(notebook, indent=indent, ensure_ascii=ascii_only) + "\n"

    ws = await workspace({"n.ipynb": written(NOTEBOOK)})
    await call(ws, "Read", path="n.ipynb")
    done = await call(ws, "Edit", path="n.ipynb", old_text=edit[0], new_text=edit[1])
    assert not done.error, done.text
    wanted = deepcopy(NOTEBOOK)
    wanted["cells"][cell]["source"] = source
    assert (ws.root / "n.ipynb").read_text("utf-8") == written(wanted)


@pytest.mark.parametrize(
    ("old_text", "says"),
    [
        ("hello \\\\n", "old_text is not in the source of any cell"),
        ('"cell_type": "code"', "old_text is not in the source of any cell"),
        ("bye", "old_text is not in the source of any cell"),
        ("T", "old_text is in the file 2 times"),
        ("\n\n", "old_text is in several cells (1, 2)"),
        ("", "old_text is empty"),
    ],
)
async def test_edits_of_notebooks_that_are_refused(
    workspace: MakeWorkspace, old_text: str, says: str
) -> None:
    text = json.dumps(NOTEBOOK, indent=1)
    ws = await workspace({"n.ipynb": text})
    await call(ws, "Read", path="n.ipynb")
    refused = await call(ws, "Edit", path="n.ipynb", new_text="x", old_text=old_text)
    assert refused.error
    assert says in refused.text
    assert (ws.root / "n.ipynb").read_text("utf-8") == text


async def test_a_source_that_is_one_string(workspace: MakeWorkspace) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "a = 1\nb = 2"}
    notebook = {"cells": [cell, cell | {"source": "a = 3"}], "nbformat": 4}
    ws = await workspace({"n.ipynb": json.dumps(notebook)})
    await call(ws, "Read", path="n.ipynb")
    steps = [{"old_text": "a = 1", "new_text": "a = 5"}, {"old_text": "= 2", "new_text": "= 6"}]
    assert not (await call(ws, "MultiEdit", path="n.ipynb", edits=steps)).error
    every = await call(ws, "Edit", path="n.ipynb", old_text="a =", new_text="z =", replace_all=True)
    assert not every.error
    found = json.loads((ws.root / "n.ipynb").read_text("utf-8"))
    assert [each["source"] for each in found["cells"]] == ["z = 5\nb = 6", "z = 3"]


def written(notebook: dict[str, Any], indent: int | str | None = 1, **style: Any) -> str:
    return json.dumps(notebook, indent=indent, sort_keys=True, **style) + "\n" * bool(indent)


def changed(*steps: tuple[str, int, dict[str, Any] | None]) -> dict[str, Any]:
    """The notebook with cells put in, replaced or taken out."""
    wanted = deepcopy(NOTEBOOK)
    for mode, at, cell in steps:
        wanted["cells"][at : at + (mode != "insert")] = [] if cell is None else [cell]
    return wanted


TITLE, CODE, EMPTY = NOTEBOOK["cells"]
NEW = {"cell_type": "markdown", "id": "?", "metadata": {}, "source": ["# More\n", "and more"]}
MORE = {"source": "# More\nand more", "kind": "markdown"}
NEW_CODE: dict[str, Any] = {
    "cell_type": "code", "execution_count": None, "id": "?", "metadata": {}, "outputs": [],
    "source": ["x = 1"],
}  # fmt: skip


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"indent": "\t"}, {"indent": None}])
@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"cell": 2, "source": "1 + 2\n3"}, ("replace", 1, CODE | {"source": ["1 + 2\n", "3"]})),
        ({"cell": 3, "source": "x"}, ("replace", 2, EMPTY | {"source": ["x"]})),
        ({"cell": 2, "source": ""}, ("replace", 1, CODE | {"source": []})),
        ({"cell": 0, "mode": "insert", **MORE}, ("insert", 0, NEW)),
        ({"cell": 1, "mode": "insert", **MORE}, ("insert", 1, NEW)),
        ({"cell": 3, "mode": "insert", "source": "x = 1"}, ("insert", 3, NEW_CODE)),
        ({"cell": 1, "mode": "delete"}, ("delete", 0, None)),
        ({"cell": 3, "mode": "delete"}, ("delete", 2, None)),
        (
            {"notebook_path": "n.ipynb", "cell": 1, "new_source": "x = 1", "cell_type": "code"},
            ("replace", 0, {k: v for k, v in NEW_CODE.items() if k != "id"}),
        ),
        (
            {"cell": 2, "source": "# Text", "kind": "markdown"},
            (
                "replace",
                1,
                {"cell_type": "markdown", "metadata": {"tags": ["x"]}, "source": ["# Text"]},
            ),
        ),
    ],
)
async def test_a_cell_is_replaced_inserted_or_deleted(
    workspace: MakeWorkspace, arguments: dict[str, Any], wanted: Any, style: dict[str, Any]
) -> None:
    """All else of the file stays byte for byte, and a code cell keeps its outputs."""
    ws = await workspace({"n.ipynb": written(NOTEBOOK, **style)})
    await call(ws, "Read", path="n.ipynb")
    arguments = arguments if "notebook_path" in arguments else {"path": "n.ipynb", **arguments}
    done = await call(ws, "NotebookEdit", **arguments)
    assert not done.error, done.text
    text = (ws.root / "n.ipynb").read_text("utf-8")
    made = re.sub(r'("id": ?)"[0-9a-f]{8}"', r'\1"?"', text)
    assert made == written(changed(wanted), **style)
    assert '"cell_type"' not in done.text  # the result shows cells


async def test_a_first_cell_and_a_last_one(workspace: MakeWorkspace) -> None:
    empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    ws = await workspace({"n.ipynb": written(empty)})
    await call(ws, "Read", path="n.ipynb")
    await call(ws, "NotebookEdit", path="n.ipynb", cell=0, mode="insert", source="x = 1")
    cell = {key: value for key, value in NEW_CODE.items() if key != "id"}
    assert (ws.root / "n.ipynb").read_text() == written({**empty, "cells": [cell]})
    await call(ws, "NotebookEdit", path="n.ipynb", cell=1, mode="insert", source="x = 1")
    assert (ws.root / "n.ipynb").read_text() == written({**empty, "cells": [cell, cell]})
    for _ in range(2):
        assert not (await call(ws, "NotebookEdit", path="n.ipynb", cell=1, mode="delete")).error
    assert (ws.root / "n.ipynb").read_text() == written(empty)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"cell": 4, "source": "x"}, "it has 3 cells, and there is no cell 4"),
        ({"cell": 0, "source": "x"}, "there is no cell 0"),
        ({"cell": 3, "source": ""}, "already has this text"),
        ({"path": "a.py", "cell": 1}, "is no notebook"),
        ({"path": "bad.ipynb", "cell": 1}, "it is no notebook"),
    ],
)
async def test_cells_that_are_not_edited(
    workspace: MakeWorkspace, arguments: dict[str, Any], says: str
) -> None:
    ws = await workspace({"n.ipynb": written(NOTEBOOK), "a.py": "x\n", "bad.ipynb": "{}"})
    for path in ("n.ipynb", "a.py", "bad.ipynb"):
        await call(ws, "Read", path=path)
    refused = await call(ws, "NotebookEdit", **{"path": "n.ipynb", **arguments})
    assert refused.error
    assert says in refused.text


async def test_a_cell_that_was_not_shown_is_not_edited(workspace: MakeWorkspace) -> None:
    """Its number says nothing of what is in it."""
    ws = await workspace({"n.ipynb": written(NOTEBOOK)})
    refused = await call(ws, "NotebookEdit", path="n.ipynb", cell=2, source="x")
    assert "was not read in this conversation" in refused.text
    await call(ws, "Read", path="n.ipynb", offset=1, limit=9)
    refused = await call(ws, "NotebookEdit", path="n.ipynb", cell=2, source="x")
    assert "of cell 2 of n.ipynb not all was shown" in refused.text
    assert not (await call(ws, "NotebookEdit", path="n.ipynb", cell=1, source="# New")).error


async def test_a_plan_shows_cells_each_as_one_part(workspace: MakeWorkspace) -> None:
    """What is between two changed lines of a cell goes with them; a part alone is a notebook."""
    ws = await workspace({"n.ipynb": written(NOTEBOOK)})
    await call(ws, "Read", path="n.ipynb")
    hands = Hands(ws, rejected=(0,))
    steps = [("# Title", "# Prices"), ("Text", "Texts"), ("1 + ü", "1 + 2")]
    edits = [{"old_text": old, "new_text": new} for old, new in steps]
    await call(ws, "MultiEdit", hands, path="n.ipynb", edits=edits)
    (plan,) = hands.plans
    first, second = PlanView.of(plan).hunks
    assert (first.before, first.after) == (
        "# cell 1 (markdown)\n# Title\n\nText\n",
        "# cell 1 (markdown)\n# Prices\n\nTexts\n",
    )
    assert second.after == "# cell 2 (code)\nprint('hello \\n')\n\n1 + 2\n"
    kept = json.loads((ws.root / "n.ipynb").read_text())["cells"]
    assert [kept[0]["source"], kept[1]["source"][-1]] == [TITLE["source"], "1 + 2"]


def test_lines_are_of_cells() -> None:
    text = written(NOTEBOOK)
    first = text.split("\n").index('   "source": [') + 1
    assert [cell_on(text, line) for line in (1, first, first + 6)] == [None, 1, 2]
    assert cell_on("{}", 1) is None
