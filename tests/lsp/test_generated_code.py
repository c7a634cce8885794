"""The faster import of lsprotocol gives the same types, with and without its file."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from glossator.lsp.generated_code import _load, _save

PROGRAM = """
import attr._make
from glossator.lsp.generated_code import import_types
import_types()
assert not hasattr(attr._make, "compile")
from lsprotocol import types
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


def test_the_types_are_the_same() -> None:
    for _ in range(2):  # the second time from the file, where one can be kept
        done = subprocess.check_output([sys.executable, "-W", "error", "-c", PROGRAM], text=True)
        assert done == "same\n"


def test_code_is_kept(tmp_path: Path) -> None:
    codes = {"x = 1": compile("x = 1", "made", "exec")}
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
