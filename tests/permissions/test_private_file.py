"""A small private file is read again only when it has changed; a failure is told once."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.permissions.private_file import DamagedFile, PrivateFile, update_private


def _fails(file: PrivateFile) -> bool:
    try:
        file.now()
    except (OSError, DamagedFile):
        return True
    return False


def test_it_follows_the_file(tmp_path: Path) -> None:
    file = PrivateFile(tmp_path / "kept.json")
    assert file.now() == {}
    update_private(file.path, lambda _: {"file:///a": ("x",)})
    assert file.now() == {"file:///a": ("x",)}
    assert file.now() is file.now()
    file.path.unlink()
    assert file.now() == {}


def test_a_folder_that_is_a_file_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("not a folder")
    file = PrivateFile(tmp_path / "state" / "kept.json")
    with pytest.raises(NotADirectoryError):
        file.now()
    assert [file.now() for _ in range(3)] == [{}] * 3
    with pytest.raises(StoreUnavailable, match=r"kept\.json cannot be written .* Check"):
        update_private(file.path, lambda _: {})


def test_the_same_damage_is_told_again_only_after_the_file_was_well(tmp_path: Path) -> None:
    file = PrivateFile(tmp_path / "kept.json")
    update_private(file.path, lambda _: {"file:///a": ("x",)})
    assert file.now()
    told = []
    for content in ("no", "no ", '{"version": 2}', None, "no"):
        if content is None:
            update_private(file.path, lambda _: {"file:///a": ("x",)})
        else:
            file.path.write_text(content)
        told.append(_fails(file))
        assert not _fails(file)
        assert bool(file.now()) is (content is None)
    assert told == [True, False, True, False, True]
