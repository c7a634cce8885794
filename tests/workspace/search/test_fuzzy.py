"""Paths that fit what is typed, the best first."""

from __future__ import annotations

import random
import time

import pytest

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.search.fuzzy import FolderFinder, best_files, match_rank, newest_files
from tests.workspaces import MakeWorkspace

FILES = (
    "src/models.py src/models/base.py src/my_models.py src/dataModels.ts src/mock/old/delete.sh"
    " docs/submodels.txt lib/m/o/dels.c README.md docs/Über.md tests/test_fields.py src/fields.py"
)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("models", "src/models.py src/my_models.py src/dataModels.ts docs/submodels.txt"),
        ("MODELS.PY", "src/models.py src/my_models.py src/models/base.py"),
        ("mod", "src/models.py src/my_models.py src/dataModels.ts docs/submodels.txt"),
        ("mm", "src/my_models.py README.md"),
        ("dm", "src/dataModels.ts README.md docs/Über.md docs/submodels.txt"),
        ("src/mo", "src/models.py src/my_models.py src/dataModels.ts src/models/base.py"),
        ("mo/ba", "src/models/base.py"),
        ("models/", "src/models/base.py"),
        ("smb", "src/models/base.py"),
        ("fields.py", "src/fields.py tests/test_fields.py"),
        ("tfields", "tests/test_fields.py"),
        ("über", "docs/Über.md"),
        ("\u00dcB", "docs/Über.md"),
        ("zz", ""),
        (".*", ""),
        ("\0", ""),
        ("\ud800", ""),
    ],
)
async def test_files(workspace: MakeWorkspace, typed: str, found: str) -> None:
    ws = await workspace(dict.fromkeys(FILES.split(), "x\n"))
    files = [file.relative for _, file in best_files(ws.snapshot, typed, 20, None)]
    assert files[: len(found.split())] == found.split()
    if not found:
        assert files == []


async def test_few_and_many_are_ranked_alike(workspace: MakeWorkspace) -> None:
    """Where few fit they are looked at one by one, otherwise in passes over all."""
    seed = time.time_ns()
    chance = random.Random(seed)
    parts = ["model", "Models", "my_model", "fish", "a", "mo", "del", "test"]
    names = {
        "/".join(chance.choices(parts, k=chance.randint(1, 4))) + f"{n}.py" for n in range(300)
    }
    ws = await workspace(dict.fromkeys(names, "x\n"))
    for typed in ("mod", "model", "fishmo", "amo", "test/m"):
        every = best_files(ws.snapshot, typed, 1_000, None)
        assert every == sorted(every, key=lambda each: each[0]), (seed, typed)
        assert all(match_rank(file.relative, typed) == way for way, file in every), (seed, typed)
        assert {file.relative for _, file in every} == {
            name for name in names if match_rank(name, typed) is not None
        }, (seed, typed)
        few = best_files(ws.snapshot, typed, 20, None)
        assert [way for way, _ in few] == [way for way, _ in every[:20]], (seed, typed)


async def test_what_is_hidden_takes_no_place(workspace: MakeWorkspace) -> None:
    files = {f"secret/model{n}.py": "x\n" for n in range(250)} | {"old/model.py": "x\n"}
    ws = await workspace(files)

    def hides(file: FileEntry) -> bool:
        return file.relative.startswith("secret/")

    for typed in ("model", "mo", "secret/model", "l.py"):
        found = best_files(ws.snapshot, typed, 5, hides)
        assert [file.relative for _, file in found] == ["old/model.py"] * (typed[0] != "s")
    assert [file.relative for file in newest_files(ws.snapshot, 5, hides)] == ["old/model.py"]
    folders, listing = FolderFinder(), ws.snapshot.listing
    assert folders.best(listing, "e", 5, None) == [(4, "secret")]
    assert folders.best(listing, "e", 5, hides) == []
    assert folders.best(listing, "o", 5, hides) == [(1, "old")]


async def test_open_files_come_first(workspace: MakeWorkspace) -> None:
    ws = await workspace(dict.fromkeys(("a_model.py", "b_model.py", "model_cc.py"), "x\n"))
    ws.open("b_model.py", "y\n")
    ws.open("new_model.py", "z\n")
    ws.edit("b_model.py", "yy\n")
    first, second = newest_files(ws.snapshot, 2, None)
    assert (first.relative, second.relative) == ("b_model.py", "new_model.py")
    found = [file.relative for _, file in best_files(ws.snapshot, "model", 4, None)]
    assert found == ["model_cc.py", "b_model.py", "a_model.py", "new_model.py"]


async def test_folders_are_those_of_now(workspace: MakeWorkspace) -> None:
    ws = await workspace({"src/deep/model/x.py": "x\n", "modes/y.py": "y\n"})
    folders = FolderFinder()

    def found(typed: str) -> list[str]:
        return [name for _, name in folders.best(ws.snapshot.listing, typed, 5, None)]

    assert found("mod") == ["modes", "src/deep/model"]
    assert found("src") == ["src", "src/deep", "src/deep/model"]
    assert found("src/") == ["src/deep", "src/deep/model"]
    ws.write("model/x.py", "x\n")
    assert found("model") == ["model", "src/deep/model"]


async def test_files_are_those_of_now(workspace: MakeWorkspace) -> None:
    """Also where the table of an earlier listing is still in use."""
    ws = await workspace(dict.fromkeys(("a_model.py", "b_model.py", "c_model.py"), "x\n"))

    def found() -> list[str]:
        return sorted(file.relative for _, file in best_files(ws.snapshot, "model", 9, None))

    assert found() == ["a_model.py", "b_model.py", "c_model.py"]
    ws.write("model.py", "x\n")
    ws.write("b_model.py", "longer\n")
    (ws.root / "a_model.py").unlink()
    ws.touched("a_model.py")
    assert found() == ["b_model.py", "c_model.py", "model.py"]
