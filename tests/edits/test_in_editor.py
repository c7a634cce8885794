"""Whether an edit went where it was meant, by the texts that an editor sends."""

from __future__ import annotations

import pytest

from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import FileEdit
from glossator.core.line_diff import apply_replacements, line_replacements
from glossator.edits.in_editor import not_made

BASE = "import a\n\n\ndef f(x):\n    return dump(x, indent=2)\n\n\ndef g(x):\n    return x + 1\n"
RESULT = BASE.replace("indent=2", "indent=4").replace("import a", "import a, b")


def edit() -> FileEdit:
    base = Document("file:///a.py", "/a.py", BASE, text_hash(BASE), 1, Origin.EDITOR)
    return FileEdit(base.uri, base.path, base, line_replacements(BASE, RESULT))


@pytest.mark.parametrize("blind", [True, False])
@pytest.mark.parametrize("first", [0, 1])
def test_an_edit_that_arrives_in_steps_is_in_its_place(first: int, *, blind: bool) -> None:
    """Its lower part changes as many letters as it has."""
    made = edit()
    half = apply_replacements(BASE, (made.replacements[first],))
    texts = [BASE, half, RESULT]
    assert not_made(made, texts, "utf-16", refused=False, blind=blind, confirm=False) == ()
