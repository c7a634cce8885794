"""Which plain files hold a match, in how many lines: what a search asks the worker process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from glossator.workspace.scan import compile_pattern, count_matching_lines, holds_match
from glossator.workspace.text.block import Reader
from glossator.workspace.text.candidates import Ranges
from glossator.workspace.text.parts import with_plain_line_ends
from glossator.workspace.text.ripgrep import Request
from glossator.workspace.walk import FileEntry

# of the files that hold a match, by absolute path: the matching lines, or 1 if these are not
# counted; None where it cannot tell, because the file is not as it was listed
Counts: TypeAlias = Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Sought:
    """What to look for in files of at most `limit` bytes; `literal`: see `required.Analysis`."""

    request: Request
    literal: bytes
    counting: bool
    limit: int


class Sifter:
    """Looks into files for one search."""

    def __init__(self, sought: Sought) -> None:
        self.sought = sought
        request = sought.request
        compiled = compile_pattern(
            request.pattern, ignore_case=request.ignore_case, multiline=request.multiline
        )
        self._pattern = replace(compiled, within=sought.literal)
        self._ranges: dict[str, Ranges] = {}
        needle = compiled.literal or sought.literal
        self._reader = Reader(sought.limit, (), self._ranges, needle, lambda: False)

    def counts(self, files: Sequence[FileEntry], ranges: Mapping[str, Ranges]) -> Counts:
        """Look into plain files; of those with `ranges` only these."""
        self._ranges.clear()
        self._ranges.update(ranges)
        counts: dict[str, int | None] = {}
        for entry, parts in self._reader.holding(files):
            if parts is None:
                counts[entry.path] = None
            elif count := self._count(list(map(with_plain_line_ends, parts.contents))):
                counts[entry.path] = count
        return counts

    def _count(self, texts: Sequence[bytes]) -> int:
        if self.sought.counting:
            return sum(count_matching_lines(text, self._pattern) for text in texts)
        return int(any(holds_match(text, self._pattern) for text in texts))
