"""Adoptions are of exactly one thing, in one folder, and last."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.core.uri import to_uri
from glossator.permissions.approvals import Approvals, approvals_file
from glossator.permissions.private_file import update_private

A, B = "a" * 64, "b" * 64


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "approvals.json"


def approvals(file: Path) -> Approvals:
    def fail(message: str) -> None:
        raise AssertionError(message)

    return Approvals(fail, file)


def test_only_what_was_adopted_is(file: Path, tmp_path: Path) -> None:
    kept, folder, other = approvals(file), str(tmp_path), str(tmp_path / "other")
    (tmp_path / "other").mkdir()
    kept.adopt("mcp", "docs", folder, A)
    again = approvals(file)  # another server
    assert again.is_adopted("mcp", "docs", folder, A)
    assert not again.is_adopted("mcp", "docs", folder, B)
    assert again.was_adopted("mcp", "docs", folder)
    assert not again.is_adopted("hook", "docs", folder, A)
    assert not again.is_adopted("mcp", "doc", folder, A)
    assert not again.is_adopted("mcp", "docs", other, A)  # trust inherits; adoption does not
    assert not again.was_adopted("mcp", "docs", other)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_folder_is_known_by_its_real_path(file: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    kept = approvals(file)
    kept.adopt("mcp", "docs", str(link), A)
    assert kept.is_adopted("mcp", "docs", str(real), A)
    link.unlink()
    link.mkdir()
    assert not kept.is_adopted("mcp", "docs", str(link), A)


def test_a_new_one_takes_the_place_of_the_old(file: Path, tmp_path: Path) -> None:
    kept, folder = approvals(file), str(tmp_path)
    kept.adopt("mcp", "docs", folder, A)
    kept.adopt("mcp", "other", folder, A)
    kept.adopt("mcp", "docs", folder, B)
    assert not kept.is_adopted("mcp", "docs", folder, A)
    assert kept.is_adopted("mcp", "other", folder, A)


def test_names_may_hold_anything(file: Path, tmp_path: Path) -> None:
    kept, folder = approvals(file), str(tmp_path)
    names = ["Pre", "Pre Tool", 'a "b" [c]', "", " ", "line\nline"]
    for name in names:
        kept.adopt("hook", name, folder, A)
    assert kept.names("hook", folder) == frozenset(names)
    assert kept.forget("hook", "Pre", folder)
    assert kept.is_adopted("hook", "Pre Tool", folder, A)


def test_an_entry_of_another_form_adopts_nothing(file: Path, tmp_path: Path) -> None:
    texts = [f"mcp docs {A}", "7", "[]", '["mcp", "docs"]']
    update_private(file, lambda _: {to_uri(str(tmp_path)): tuple(texts)})
    kept = approvals(file)
    assert not kept.is_adopted("mcp", "docs", str(tmp_path), A)
    kept.adopt("mcp", "docs", str(tmp_path), A)
    assert kept.is_adopted("mcp", "docs", str(tmp_path), A)


def test_it_can_be_taken_back(file: Path, tmp_path: Path) -> None:
    kept, folder = approvals(file), str(tmp_path)
    kept.adopt("mcp", "docs", folder, A)
    kept.adopt("mcp", "other", folder, A)
    assert kept.forget("mcp", "docs", folder)
    assert not kept.forget("mcp", "docs", folder)
    assert not kept.is_adopted("mcp", "docs", folder, A)
    assert kept.is_adopted("mcp", "other", folder, A)
    assert kept.forget("mcp", "other", folder)
    assert "other" not in file.read_text()


def test_a_file_that_others_may_write_adopts_nothing(file: Path, tmp_path: Path) -> None:
    folder = str(tmp_path)
    told: list[str] = []
    approvals(file).adopt("mcp", "docs", folder, A)
    file.chmod(0o666)
    kept = Approvals(told.append, file)
    assert not kept.is_adopted("mcp", "docs", folder, A)
    assert len(told) == 1
    assert "other users may write it" in told[0]


def test_a_folder_that_is_gone(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        approvals(file).adopt("mcp", "docs", str(tmp_path / "gone"), A)


def test_the_file_is_in_the_state_folder() -> None:
    assert approvals_file().name == "approvals.json"
    assert "glossator" in approvals_file().parts
