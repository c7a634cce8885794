"""basedpyright as it comes from PyPI, one for all tests, and the compiler of TypeScript 7."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from glossator.core.code import CodeAnswer, CodeKind
from glossator.core.uri import to_path, to_uri
from glossator.workspace.documents.overlays import DiskChanged
from tests.language_servers.asked import Asked, asked
from tests.sandboxed import SANDBOXED

CLIENT = Path(__file__).parents[2] / "vscode-client" / "node_modules" / "typescript"
TOOLS = os.pathsep.join((str(Path(sys.prefix) / "bin"), os.environ["PATH"]))
SHAPES = '''\
class Shape:
    def area(self) -> float:
        """The area in square metres."""
        raise NotImplementedError


class Square(Shape):
    def area(self) -> float:
        return side() * side()


def side() -> float:
    return 2.0
'''
USES = """\
from shapes import Square, side


def total() -> float:
    return Square().area() + side()
"""
SPOILT = "#!/bin/sh\necho spoilt >> {written}\necho spoilt >> {inside}\nexit 1\n"

pytestmark = [SANDBOXED, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that nothing of the workspace may write."""
    return tmp_path_factory.mktemp("outside") / "written"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def python(tmp_path_factory: pytest.TempPathFactory, outside: Path) -> AsyncIterator[Asked]:
    """A hostile workspace: its Python and its own server write what they can."""
    root = tmp_path_factory.mktemp("python")
    spoilt = SPOILT.format(written=outside, inside=root / "inside")
    files = {
        "shapes.py": SHAPES,
        "uses.py": USES,
        "pyrightconfig.json": '{"venvPath": ".", "venv": "env"}',
    }
    for name in ("env/bin/python", ".venv/bin/python", "node_modules/.bin/pyright-langserver"):
        program = root / name
        program.parent.mkdir(parents=True)
        program.write_text(spoilt)
        program.chmod(0o755)
    (root / "env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    path = os.pathsep.join((str(root / "node_modules" / ".bin"), TOOLS))
    async with asked(root, files, path=path) as ws:
        yield ws


def lines(answer: CodeAnswer) -> list[str]:
    return sorted(f"{Path(to_path(each.uri) or '').name}:{each.line + 1}" for each in answer.places)


async def test_places(python: Asked) -> None:
    async def places(kind: CodeKind, file: str, before: str) -> list[str]:
        return lines(await python.answer(kind, file, before))

    uses = ["shapes.py:12", "shapes.py:9", "shapes.py:9", "uses.py:1", "uses.py:5"]
    assert await places(CodeKind.REFERENCES, "shapes.py", "def ") == sorted(set(uses))
    assert await places(CodeKind.DEFINITIONS, "uses.py", "    return Square().") == ["shapes.py:8"]
    assert await places(CodeKind.CALLEES, "uses.py", "def ") == [
        *("shapes.py:12", "shapes.py:7", "shapes.py:8")
    ]
    callers = await python.answer(CodeKind.CALLERS, "shapes.py", "def ")
    assert {each.name for each in callers.places} == {"area", "total"}


async def test_types_and_documentation(python: Asked) -> None:
    answer = await python.answer(CodeKind.TYPE, "shapes.py", "    def ")
    assert answer.by == "basedpyright"
    assert "def area(self: Self@Shape) -> float" in answer.text
    assert "The area in square metres." in answer.text


async def test_unsaved_text_counts(python: Asked) -> None:
    python.open("new.py", "from shapes import side\nside()\n")
    answer = await python.answer(CodeKind.REFERENCES, "shapes.py", "def ")
    assert "new.py:2" in lines(answer)
    python.close("new.py")


async def test_files_that_come_and_go_count(python: Asked) -> None:
    python.write("later.py", "from shapes import side\nx = side()\n")
    answer = await python.answer(CodeKind.REFERENCES, "shapes.py", "def ")
    assert "later.py:2" in lines(answer)
    (python.root / "later.py").unlink()
    python.host.apply(DiskChanged(frozenset({str(python.root / "later.py")})))
    answer = await python.answer(CodeKind.REFERENCES, "shapes.py", "def ")
    assert "later.py:2" not in lines(answer)


async def test_findings(python: Asked) -> None:
    python.write("wrong.py", 'import os\nx: int = "no"\n')
    items, pending = await python.found("wrong.py")
    assert not pending
    assert [line for line, message in items if "not assignable" in message] == [2], items
    assert any("F401" in message for _, message in items)  # ruff's, beside it
    python.open("wrong.py", "x: int = 3\n", 7)
    assert await python.found("wrong.py", 7) == ([], False)
    python.close("wrong.py")


async def test_nothing_of_the_workspace_wrote(python: Asked, outside: Path) -> None:
    """Its Python was run, as the sandbox lets it: it wrote neither outside nor inside."""
    await python.answer(CodeKind.TYPE, "shapes.py", "    def ")
    assert _there(outside, python.root / "inside") == []
    running = {each.name for each in python.servers.states() if each.state == "runs"}
    assert running <= {"basedpyright", "ruff"}


def _there(*paths: Path) -> list[Path]:
    return [each for each in paths if each.exists()]


@pytest.mark.skipif(not CLIENT.is_dir(), reason="the client's packages are not installed")
async def test_typescript(tmp_path: Path) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "tsc").symlink_to(CLIENT / "bin" / "tsc")
    files = {
        "tsconfig.json": '{"compilerOptions": {"strict": true}}',
        "a.ts": 'export function size(x: string) { return x.length; }\nconst s = "🦉"; size(s);\n',
        "b.tsx": "import { size } from './a';\nexport const n = size('b');\n",
    }
    path = os.pathsep.join((str(bin_folder), TOOLS))
    async with asked(tmp_path / "ws", files, path=path) as ws:
        answer = await ws.answer(CodeKind.REFERENCES, "a.ts", 'const s = "🦉"; ')
        assert answer.by == "tsc"
        assert lines(answer) == ["a.ts:1", "a.ts:2", "b.tsx:1", "b.tsx:2"]
        assert await ws.found("b.tsx") == ([], False)
        ws.open("b.tsx", "export const n: number = 'b';\n")
        [(line, message)], _ = await ws.found("b.tsx", 1)
        assert line == 1
        assert "is not assignable" in message
        assert to_uri(str(ws.root / "a.ts")) == answer.places[0].uri
