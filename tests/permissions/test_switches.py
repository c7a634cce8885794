"""What the user turned off: kept by real folder, and shared by servers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.permissions.approvals import Switches


def switches(tmp_path: Path, *roots: Path) -> tuple[Switches, list[str]]:
    told: list[str] = []
    folders = tuple(map(str, roots))
    return Switches(told.append, lambda: folders, tmp_path / "off.json"), told


def test_off_and_on_again(tmp_path: Path) -> None:
    here, there, link = tmp_path / "here", tmp_path / "there", tmp_path / "link"
    here.mkdir()
    there.mkdir()
    link.symlink_to(here)
    one, _ = switches(tmp_path, here)
    one.turn("skill", "two words\n\u202e", on=False)
    one.turn("skills", "other kind", on=False)
    assert switches(tmp_path, link)[0].off("skill") == {"two words\n\u202e"}
    assert switches(tmp_path, there)[0].off("skill") == frozenset()
    assert switches(tmp_path, there, here)[0].off("skill") == {"two words\n\u202e"}
    one.turn("skill", "two words\n\u202e", on=True)
    assert one.off("skill") == frozenset()
    one.turn("skills", "other kind", on=True)
    assert json.loads((tmp_path / "off.json").read_text())["folders"] == {}


def test_without_a_folder(tmp_path: Path) -> None:
    one, _ = switches(tmp_path)
    with pytest.raises(UsageError, match="No folder is open"):
        one.turn("skill", "deploy", on=False)
    assert one.off("skill") == frozenset()


@pytest.mark.parametrize("content", ["{", '{"version": 1, "folders": {"a": [7]}}', "[]"])
def test_a_file_that_cannot_be_used(tmp_path: Path, content: str) -> None:
    """It is said once, and the next switch begins it again."""
    one, told = switches(tmp_path, tmp_path)
    file = tmp_path / "off.json"
    file.write_text(content)
    file.chmod(0o600)
    assert one.off("mcp") == one.off("hook") == frozenset()
    assert len(told) == 1
    assert "is on again" in told[0]
    one.turn("mcp", "fish", on=False)
    assert one.off("mcp") == {"fish"}
    assert file.with_name("off.json.damaged").read_text() == content


@pytest.mark.skipif(os.name == "nt", reason="it has other permissions")
def test_a_file_that_others_may_write(tmp_path: Path) -> None:
    one, told = switches(tmp_path, tmp_path)
    one.turn("mcp", "fish", on=False)
    (tmp_path / "off.json").chmod(0o666)
    assert one.off("mcp") == frozenset()
    assert "other users may write it" in told[0]
