"""The stamp of a file, and from when on a stamp can be trusted.

An index or a cache that knows a file by its stamp takes it for unchanged as long as the stamp is
the same. git calls a file *racy* that was changed so recently that it may change again under the
same stamp.
"""

from __future__ import annotations

import struct
from typing import Final

STAMP: Final = struct.Struct("<qqqQ")  # size, mtime_ns, ctime_ns, inode
TIMES: Final = range(-(1 << 63), 1 << 63)  # what a stamp can hold: up to the year 2262
RACY_NS: Final = 2_000_000_000  # there are file systems with times in whole seconds


def ripe_at(mtime_ns: int, ctime_ns: int) -> int:
    """When a file with these times is no longer racy, in ns since 1970.

    A time in the future, from another machine's clock, is waited for.
    """
    return (ctime_ns or mtime_ns) + RACY_NS
