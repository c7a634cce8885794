"""Outlines as bytes: what goes in comes out, and damage is noticed."""

from __future__ import annotations

import json
import pickle

import pytest

from glossator.symbols.imports import imports
from glossator.symbols.outline import outline
from glossator.symbols.references import references
from glossator.symbols.symbol import dump, load

TEXT = "class Größe:\n    '''Doc \U0001d4b3.'''\n    def f(self): pass\n"


def test_what_was_dumped_is_loaded() -> None:
    symbols = outline(TEXT, "python")
    assert load(dump(symbols)) == symbols
    assert load(dump(())) == ()


@pytest.mark.parametrize("data", [b"", b"\xff", b"{}", b"[1]", b"[[]]", b'"x"', b"null"])
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load(data)


@pytest.mark.parametrize("field", range(9))
def test_a_wrong_field_is_refused(field: int) -> None:
    rows = json.loads(dump(outline(TEXT, "python")))
    rows[1][field] = {}
    with pytest.raises(ValueError, match="damaged"):
        load(json.dumps(rows).encode())


def test_all_results_can_be_sent_to_another_process() -> None:
    text = f"import a\n{TEXT}"
    results = (outline(text, "python"), references(text, "python", "f"), imports(text, "python"))
    assert pickle.loads(pickle.dumps(results)) == results
