"""A generated set asks about definitions whose doc comments no index sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import UsageError
from glossator_eval import Stages, generate, measure, read_set
from tests.glossator_eval.baseline import Bm25
from tests.glossator_eval.sets import write_files

PYTHON = '''\
class Basket:
    """Holds the things somebody wants to buy until the purchase is made.

    More about it, which is no part of the question.
    """

    def put(self, thing):
        """Too short to ask."""
        return thing

    def total(self):
        """The total of the basket and of the total."""
        return 1

    def checkout(self, card):
        """Turns everything inside into one order, charges the customer and empties it."""
        self.order(card)

    def order(self, card):
        """Abstract methods have nothing else that an answer could be found by today."""


def twin():
    """Writes the same careful words about something in two different places."""
    return 1
'''
OTHER = '''\
def twin_again():
    """Writes the same careful words about something in two different places."""
    return 2


def inline(): """Code that stands on the lines of a comment cannot be blanked with it."""; return 1
'''
GO = """\
package shop

// Ship hands the parcel over to the carrier who
// promises the earliest delivery.
func Ship(p Parcel) error {
	return send(p)
}
"""
FILES = {
    "basket.py": PYTHON,
    "other.py": OTHER,
    "ship.go": GO,
    "tests/test_basket.py": PYTHON.replace("Holds", "Keeps"),
    "vendor/lib.py": PYTHON.replace("purchase", "acquisition"),
}


def made(tmp_path: Path, name: str = "set", **how: Any) -> list[dict[str, Any]]:
    folder = tmp_path / "shop"
    if not folder.exists():
        write_files(folder, FILES)
    generate(folder, tmp_path / name, exclude=["vendor"], **how)
    text = (tmp_path / name / "annotations.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_questions_are_doc_comments_and_answers_their_definitions(tmp_path: Path) -> None:
    found = {
        (each["query"].split()[0], *each["relevant"][0].values()): [
            (cut["start_line"], cut["end_line"]) for cut in each["remove"]
        ]
        for each in made(tmp_path)
    }
    assert found == {
        ("Holds", "basket.py", 1, 6): [(2, 5)],  # a class up to its first method
        ("Turns", "basket.py", 15, 17): [(16, 16)],
        ("Ship", "ship.go", 5, 7): [(3, 3), (4, 4)],
    }


def test_what_was_asked_is_not_indexed(tmp_path: Path) -> None:
    made(tmp_path)
    (collection,) = read_set(tmp_path / "set").collections
    texts = {each.path: each.text for each in collection.documents}
    everything = "\n".join(texts.values())
    assert "somebody" not in texts["basket.py"]
    assert "charges" not in texts["basket.py"]
    assert "carrier" not in everything
    assert "Too short" in everything  # only what was asked is taken out
    assert texts["basket.py"].count("\n") == PYTHON.count("\n")
    assert "vendor/lib.py" not in texts
    report = measure(read_set(tmp_path / "set"), Bm25, Stages())
    assert report.questions == 3


def test_the_seed_decides(tmp_path: Path) -> None:
    one = made(tmp_path, "one", questions=2, seed=4)
    assert made(tmp_path, "two", questions=2, seed=4) == one
    assert {each["relevant"][0]["path"] for each in one} == {"basket.py", "ship.go"}  # balanced


def test_a_set_is_refused_when_its_sources_changed(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "shop/ship.go").write_text("\n" + GO, "utf-8")
    with pytest.raises(UsageError, match=r"ship\.go has changed .* generate the set again"):
        list(read_set(tmp_path / "set").collections)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    made(tmp_path)
    with pytest.raises(UsageError, match="exists already"):
        made(tmp_path)


def test_undocumented_code_gives_no_set(tmp_path: Path) -> None:
    write_files(tmp_path / "plain", {"a.py": "def f(): pass\n"})
    with pytest.raises(UsageError, match="doc comment of 8 words"):
        generate(tmp_path / "plain", tmp_path / "set")
    assert not (tmp_path / "set").exists()
