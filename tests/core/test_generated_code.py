"""A start that keeps generated code makes the same classes, with and without its file."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glossator.core.generated_code import _load, _save

PROGRAM = """
import attr, attr._make, dataclasses, sys, typing
from pathlib import Path
from glossator.core.generated_code import begin, end
file = Path(sys.argv[1])
begin(file)
from lsprotocol import types
@dataclasses.dataclass(frozen=True, slots=True)
class Fish:
    name: str
    depth: int = 3
class Net(typing.TypedDict):
    mesh: "list[int]"
@attr.s(frozen=True, hash=True)  # its code holds a number of this process
class Knot:
    name = attr.ib()
end()
assert hash(Knot("a")) == hash(Knot("a"))
for module in (attr._make, typing, dataclasses):
    assert not {"compile", "exec"} & vars(module).keys()
assert Fish.__init__.__annotations__ == {"name": str, "depth": int, "return": None}
assert types.Position.__init__.__annotations__ == {"line": int, "character": int, "return": None}
assert Fish("a") == Fish("a", 3) != Fish("b")
assert repr(Fish("a")) == "Fish(name='a', depth=3)"
assert typing.get_type_hints(Net) == {"mesh": list[int]}
from lsprotocol.converters import get_converter
place = types.Position(1, 2)
assert place == types.Position(1, 2) and place != types.Position(2, 1)
assert repr(place) == "1:2"
hover = types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "x"), types.Range(place, place))
converter = get_converter()
assert converter.structure(converter.unstructure(hover), types.Hover) == hover
try:
    types.Position(-1, 0)
except ValueError:
    print("same")
"""


def test_classes_are_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(tmp_path / "kept")]
    none_kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    assert subprocess.check_output(command, text=True, env=none_kept) == "same\n"
    assert not (tmp_path / "kept").exists()
    usual = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    first = subprocess.check_output(command, text=True, env=usual)
    kept = (tmp_path / "kept").read_bytes()
    second = subprocess.check_output(command, text=True, env=usual)
    assert (first, second) == ("same\n", "same\n")
    assert (tmp_path / "kept").read_bytes() == kept


def test_code_is_kept(tmp_path: Path) -> None:
    codes = {(0, "exec", "x = 1"): compile("x = 1", "made", "exec")}
    _save(tmp_path / "kept", codes)
    assert _load(tmp_path / "kept") == codes
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("content", [b"", b"\xff", b"nonsense", b"i\x01\x00\x00\x00"])
def test_a_spoilt_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kept").write_bytes(content)
    assert _load(tmp_path / "kept") == {}


def test_a_folder_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    _save(tmp_path / "none" / "kept", {})
    assert "cannot be kept" in caplog.text
