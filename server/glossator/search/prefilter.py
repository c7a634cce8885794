"""Which plain files hold a match, in how many lines: what a search asks the worker process."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from glossator.files.entries import FileEntry
from glossator.index.candidates import Ranges
from glossator.search.block import Reader
from glossator.search.ripgrep import Request
from glossator.search.scan import compile_pattern

# of the files that hold a match, by absolute path: the matching lines, or 1 if these are not
# counted; None where it cannot tell, because the file is not as it was listed
Counts: TypeAlias = Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """What to look for in files of at most `limit` bytes; `literal`: `scan.Pattern.within`."""

    request: Request
    literal: bytes
    counting: bool
    limit: int


class Prefilter:
    """Looks into files for one search."""

    def __init__(self, sought: SearchSpec) -> None:
        self.sought = sought
        request = sought.request
        pattern = compile_pattern(
            request.pattern, ignore_case=request.ignore_case, multiline=request.multiline
        )
        self._ranges: Mapping[str, Ranges] = {}
        self._reader = Reader(
            sought.limit, (), self._ranges_of, pattern.knowing(sought.literal), lambda: False
        )

    def counts(self, files: Sequence[FileEntry], ranges: Mapping[str, Ranges]) -> Counts:
        """Look into plain files; of those with `ranges` only these."""
        self._ranges = ranges
        held = self._reader.holding(files, math.inf if self.sought.counting else 1)
        return {entry.path: lines for entry, lines, *_ in held}

    def _ranges_of(self, entry: FileEntry) -> Ranges | None:
        return self._ranges.get(entry.path)
