"""Whether a text by somebody who may read every file quotes one that rules hide.

A compiler names what it finds in quotes, the value of a literal type for one. What stands in quotes
and in a hidden file, but not in the file that is spoken of, is taken for such a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from glossator.core.document import Document
from glossator.documents import WorkspaceSnapshot

_MARKS = re.compile(
    r"[\"'`\u00b4\u2018\u2019\u201c\u201d\u00ab\u00bb]|\.\.\.|\u2026"
)  # or an end that was cut
_SHORTEST = 4  # characters that say anything


@dataclass(frozen=True)
class HiddenTexts:
    """The texts that `hides` keeps from being shown; they are read when they are first needed."""

    snapshot: WorkspaceSnapshot
    hides: Callable[[str], bool]

    def quoted(self, message: str, own: str) -> bool:
        """Whether `message`, about the text `own`, quotes one of them."""
        between = (part.strip() for part in _MARKS.split(message)[1:])
        strange = [part for part in between if len(part) >= _SHORTEST and part not in own]
        return any(part in text for part in strange for text in self._texts)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(self._read())

    def _read(self) -> Iterator[str]:
        listed = (file.path for file in self.snapshot.files())
        for path in (*listed, *self.snapshot.listing.skipped):
            if self.hides(path):
                document = self.snapshot.read(path)
                if isinstance(document, Document):
                    yield document.text
