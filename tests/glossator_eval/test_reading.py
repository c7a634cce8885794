"""Labelled sets are read as they are meant, and what is wrong in one is said with its line."""

from __future__ import annotations

import json
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from glossator.core.document import text_hash
from glossator.core.errors import UsageError
from glossator_eval import Collection, GoldenChunk, GoldenLines, read_set
from glossator_eval.repositories import unpack
from tests.glossator_eval.sets import (
    FILES,
    annotation,
    chunk_set,
    line_set,
    write_files,
    write_lines,
)


def only(place: Path, **how: Any) -> Collection:
    (collection,) = read_set(place, **how).collections
    return collection


def test_files_and_lines(tmp_path: Path) -> None:
    lines = {"path": "src/refund.py", "start_line": 4, "end_line": 5}
    place = line_set(
        tmp_path / "set",
        annotation("where are refunds booked", lines, secondary=["src/cart.py"], category="api"),
        annotation("Cart", "src/cart.py"),
    )
    labelled = read_set(place)
    (collection,) = labelled.collections
    assert (labelled.name, labelled.questions, collection.name) == ("set", 2, "shop")
    assert {each.path: each.text for each in collection.documents} == FILES
    first, second = collection.questions
    assert first.targets == (GoldenLines("src/refund.py", 4, 5),)
    assert first.all_targets == (*first.targets, GoldenLines("src/cart.py"))
    assert [first.category, second.category] == ["api", "symbol"]
    assert second.line == 2


@pytest.mark.parametrize(
    ("path", "first", "last", "found"),
    [
        ("lib/shop/a.py", 1, 4, True),  # one path ends with the other
        ("a.py", 7, 9, True),
        ("other/a.py", 4, 7, False),
        ("shop/a.py", 1, 3, False),  # beside the lines 4-7
        ("shop/a.py", 8, 9, False),
        ("op/a.py", 4, 4, False),  # not at a slash
    ],
)
def test_a_target_is_found_by_the_end_of_its_path_and_overlapping_lines(
    path: str, first: int, last: int, found: bool
) -> None:
    assert GoldenLines("shop/a.py", 4, 7).found_in(path, first, last) is found


def test_sources_may_be_packed_and_only_a_part_of_them_searched(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", FILES)
    (tmp_path / "set/sources").mkdir(parents=True)
    with tarfile.open(tmp_path / "set/sources/shop.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "shop", "shop")
    write_lines(tmp_path / "set/annotations.jsonl", [annotation("Cart", "src/cart.py")])
    collection = only(tmp_path / "set", roots=["shop=src"])
    assert [each.path for each in collection.documents] == [
        "cart.py",
        "refund.py",
        "util/refund.py",
    ]


@pytest.mark.parametrize("old", [False, True])
def test_nothing_is_unpacked_outside_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    """The Python of Debian 12 is 3.11.2, whose archives have no filters."""
    if old:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    (tmp_path / "real.py").write_text("x = 1\n")
    (tmp_path / "escape").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    good, bad, through = (tmp_path / f"{name}.tar" for name in ("good", "bad", "through"))
    with tarfile.open(good, "w") as archive:
        archive.add(tmp_path / "real.py", "shop/src/a.py")
    with tarfile.open(bad, "w") as archive:
        archive.add(tmp_path / "real.py", "shop/../../outside.py")
    with tarfile.open(through, "w") as archive:
        archive.add(tmp_path / "escape", "shop/link")
        archive.add(tmp_path / "real.py", "shop/link/inside.py")
    (tmp_path / "into").mkdir()
    with tarfile.open(good) as archive:
        unpack(archive, tmp_path / "into")
    assert (tmp_path / "into/shop/src/a.py").read_text() == "x = 1\n"
    with tarfile.open(bad) as archive, pytest.raises(tarfile.TarError):
        unpack(archive, tmp_path / "into")
    with tarfile.open(through) as archive, suppress(tarfile.TarError):
        unpack(archive, tmp_path / "into")
    assert not (tmp_path / "outside.py").exists()
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_table_says_where_sources_are(tmp_path: Path) -> None:
    write_files(tmp_path / "elsewhere", FILES)
    file = write_lines(tmp_path / "set/mine.jsonl", [annotation("Cart", "cart.py")])
    table = tmp_path / "table.json"
    place = {"source": "elsewhere", "root": "src", "exclude": ["util"]}
    table.write_text(json.dumps({"shop": place}), "utf-8")
    collection = only(file, repositories=table)
    assert [each.path for each in collection.documents] == ["cart.py", "refund.py"]


def test_lines_to_remove_are_blanked_whichever_questions_are_asked(tmp_path: Path) -> None:
    text = FILES["src/refund.py"]
    cut = {"path": "src/refund.py", "start_line": 4, "end_line": 4, "sha256": text_hash(text)}
    place = line_set(
        tmp_path,
        annotation("refund", "src/refund.py", remove=[cut]),
        annotation("Cart", "src/cart.py", remove=[cut | {"start_line": 1, "end_line": 1}]),
    )
    collection = only(place, limit=1)
    assert len(collection.questions) == 1
    texts = {each.path: each.text for each in collection.documents}
    assert texts["src/refund.py"] == "\n\n\n\n    return order.total\n"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"repo": "shop", "query": "q"}, r"annotations\.jsonl:2: relevant: Field required"),
        (annotation("q"), r":2: relevant: .* at least 1 item"),
        (annotation("q", {"path": "README.md", "start_line": 3}), r":2: .*come together"),
        (annotation("q", "nowhere.py"), r":2: no file of shop is nowhere\.py.*--root shop=PATH"),
        (
            annotation(
                "q",
                "README.md",
                remove=[{"path": "README.md", "start_line": 1, "end_line": 1, "sha256": "0"}],
            ),
            r":2: README\.md has changed since .* generate the set again",
        ),
        (annotation("q", "a.py", repo="gone"), r"The sources of gone are not at .*gone\.tar\.xz"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, record: dict[str, Any], message: str
) -> None:
    place = line_set(tmp_path, annotation("Cart", "src/cart.py"), record)
    with pytest.raises(UsageError, match=message):
        list(read_set(place).collections)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    place = line_set(tmp_path, annotation("Cart", "src/cart.py"))
    with (place / "annotations.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n{'repo': 1}\n")
    with pytest.raises(UsageError, match=r"annotations\.jsonl:3: Invalid JSON"):
        read_set(place)


@pytest.mark.parametrize("root", ["shop", "=src", "shop=nowhere"])
def test_a_root_that_is_none_is_refused(tmp_path: Path, root: str) -> None:
    place = line_set(tmp_path, annotation("Cart", "src/cart.py"))
    with pytest.raises(UsageError, match="--root"):
        list(read_set(place, roots=[root]).collections)


def test_a_folder_without_a_set_says_how_one_is_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--generate FOLDER -o SET"):
        read_set(tmp_path)


def test_chunks_are_known_by_their_content(tmp_path: Path) -> None:
    collection = only(chunk_set(tmp_path / "cookbook"))
    first, second = collection.documents
    assert (first.path, first.chunks) == ("a", ((1, 2), (3, 4), (5, 5)))
    assert (second.path, second.chunks) == ("o/r/b.rs", ((1, 2), (3, 3)))
    same = GoldenChunk(frozenset({("a", 3, 4), ("o/r/b.rs", 1, 2)}))
    assert [each.targets for each in collection.questions] == [
        (same,),  # twice in the question, and counted once
        (GoldenChunk(frozenset({("o/r/b.rs", 3, 3)})),),
    ]
    assert collection.questions[1].repository == "o/r"


@pytest.mark.parametrize(
    ("golden", "message"),
    [
        ([], "evaluation_set.jsonl:1: the question has no golden chunk"),
        ([["a", 9]], "evaluation_set.jsonl:1: codebase_chunks.json has no chunk 9"),
        ([["a"]], r"evaluation_set.jsonl:1: golden_chunk_uuids\.0"),
    ],
)
def test_golden_chunks_must_be_there(tmp_path: Path, golden: list[Any], message: str) -> None:
    place = chunk_set(tmp_path)
    write_lines(
        place / "evaluation_set.jsonl",
        [{"query": "q", "golden_chunk_uuids": golden, "golden_documents": []}],
    )
    with pytest.raises(UsageError, match=message):
        read_set(place)


def test_chunks_must_be_their_document(tmp_path: Path) -> None:
    place = chunk_set(tmp_path)
    file = place / "codebase_chunks.json"
    file.write_text(file.read_text("utf-8").replace("cut in", "cut out", 1), "utf-8")
    with pytest.raises(UsageError, match=r"document 0 \(a\) are not its content"):
        read_set(place)
