"""Which lines of the workspace a patch of git shows, so that they can be cited."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from glossator.core.document import Document
from glossator.core.span import Span, runs
from glossator.documents import WorkspaceSnapshot

_FILE = re.compile(r"\+\+\+ b/(.+?)\t?")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def spans_shown(snapshot: WorkspaceSnapshot, root: str, patch: str) -> tuple[Span, ...]:
    """The lines that the patch shows as they stand in the workspace now; blocking."""
    shown: dict[str, set[int]] = {}
    documents: dict[str, Document] = {}
    for path, number, text in _new_lines(patch):
        if path not in documents:
            found = snapshot.read(os.path.join(root, path))
            if not isinstance(found, Document):
                continue
            documents[path] = found
        lines = documents[path].lines
        if number <= len(lines) and lines[number - 1] == text:
            shown.setdefault(path, set()).add(number)
    return tuple(
        Span(documents[path].uri, documents[path].sha256, first, last)
        for path, numbers in shown.items()
        for first, last in runs(sorted(numbers))
    )


def _new_lines(patch: str) -> Iterator[tuple[str, int, str]]:
    """Path, number and text of each line that a patch keeps or adds.

    What follows a cut is not counted before the next head of a file.
    """
    path, number, old, new = "", 0, 0, 0
    for line in patch.split("\n"):
        if old > 0 or new > 0:
            sign, text = line[:1], line[1:]
            if sign not in {" ", "+", "-", "\\"}:  # the patch was cut here
                path, old, new = "", 0, 0
                continue
            old -= sign in {" ", "-"}
            if sign in {" ", "+"}:
                new -= 1
                if path:
                    yield path, number, text.removesuffix("\r")
                number += 1
        elif found := _FILE.fullmatch(line):
            path = found[1]
        elif found := _HUNK.match(line):
            old, number, new = int(found[1] or 1), int(found[2]), int(found[3] or 1)
        elif line.startswith("diff --git "):
            path = ""
