"""Notebooks: cells are shown under the numbers of the file's lines, so that citations hold."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

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
