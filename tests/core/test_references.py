"""Which sentences refer to something that an earlier one named."""

from __future__ import annotations

import pytest

from glossator.core.references import refers_back


@pytest.mark.parametrize(
    "sentence",
    [
        "`on_headers_finished` calls it.",
        "`starlette/routing.py` imports it from there.",
        "`starlette/routing.py` imports it.",
        "`WebSocketRoute.__init__` does, too.",
        "The type tests use it, too.",
        "`src/index.ts` exports it by the new name alone.",
        "The two tests still call it with two arguments.",
        "`StaticFiles.get_path` calls it by the new name, too.",
        "`starlette/applications.py` imported it, too, and was changed.",
        "One of them expects 500 files.",
        "Nothing calls it any more.",
        "`get_path` passes the request to it.",
        "`g` runs before it.",
        "`Pool.close` never does that.",
        "`f` lives below this.",
        "All of these are read by `f`.",
        "The tests of `f` do not.",
        "- `b.py` does the same.",
        "setup.py reads them once.",
        "`close` frees them all.",
        "`open` finds the name there.",
        "A missing type or `*/*` is replaced by that default.",
    ],
)
def test_an_object_of_the_first_clause_refers_back(sentence: str) -> None:
    assert refers_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "`send` closes the connection when it fails.",
        "`f` opens the file and reads it.",
        "`f` returns the value it is given.",
        "`f` returns the object it holds.",
        "`f` has a header in it.",
        "`f` tells `g` to close it.",
        "`f` says that it is closed.",
        "`JWTDecryptGetKey` was renamed, too.",
        "If no handler is set, then `send` raises.",
        "`f` is too slow.",
        "A `Client` has one connection of its own.",
        "`f` raises if there is no file.",
        "`f` knows there is none.",
        "`f` opens the door, which it closes.",
        "`max_retries` has the same default as `limit`;",
        "`this` is read by `it`.",
        "The method returns the `UploadFile`.",
        "`f` splits its text.",
        "It then calls `bar()`.",
        "The limit of files is checked in the new method; before, `f` did that later.",
        "`f` returns what it's given.",
        "`f` frees the memory of this process.",
        "`f` calls those of `g`.",
        "`f` stops in that it raises.",
        "`f` frees those that are closed.",
    ],
)
def test_what_the_sentence_itself_names_may_be_meant(sentence: str) -> None:
    assert not refers_back(sentence)
