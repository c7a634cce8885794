"""Which calls of a name are certainly calls of its one definition."""

from __future__ import annotations

import pytest

from glossator.core.document import Document
from glossator.symbols import (
    CALLS,
    Name,
    is_call_of,
    may_need_imports,
    only_definition,
)
from glossator.symbols.imports import Import
from tests.workspaces import MakeWorkspace

FILES = {
    "bag.py": "def fill(bag):\n    pass\n\n\ndef twice(bag):\n    fill(bag)\n    bag.fill(2)\n",
    "till.py": "from bag import fill\n\n\ndef sell():\n    fill([])\n",
    "tank.py": "from water import fill\n\n\ndef pump():\n    fill([])\n",
    "shop.py": (
        "class Shop:\n    def close(self):\n        pass\n\n"
        "    def end(self):\n        self.close()\n\n\ndef stop(file):\n    file.close()\n"
    ),
    "one.go": "package p\n\nfunc Open() {\n}\n",
    "two.go": "package p\n\nfunc Use() {\n\tOpen()\n}\n",
}


@pytest.mark.parametrize(
    ("name", "sure"),
    [
        ("fill", {"twice": [True, False], "sell": [True], "pump": [False]}),
        ("close", {"end": [True], "stop": [False]}),
        ("Open", {"Use": [True]}),
    ],
)
async def test_a_call_is_certain_where_the_code_says_so(
    workspace: MakeWorkspace, name: str, sure: dict[str, list[bool]]
) -> None:
    ws = await workspace(FILES)
    asked = Name.parse(name)
    definition = only_definition(await ws.symbols.definitions(ws.snapshot, asked))
    assert definition is not None
    found: dict[str, list[bool]] = {}
    for use in (await ws.symbols.uses(ws.snapshot, asked, CALLS)).hits:
        imports: tuple[Import, ...] = ()
        if may_need_imports(use, definition):
            document = ws.snapshot.read(use.line.path)
            assert isinstance(document, Document)
            imports = await ws.symbols.imports(ws.snapshot, document)
        found.setdefault(use.reference.within[-1], []).append(is_call_of(use, definition, imports))
    assert found == sure


async def test_of_several_definitions_no_call_is_certain(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "def f():\n    pass\n", "b.py": "def f():\n    pass\n"})
    assert only_definition(await ws.symbols.definitions(ws.snapshot, Name.parse("f"))) is None
