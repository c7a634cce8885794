"""File paths as `file:` URIs and back, and the user's home folder.

Names that are not UTF-8 survive the round trip.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

_DRIVE = re.compile(r"^/[A-Za-z]:")


def to_uri(path: str) -> str:
    """The `file:` URI of an absolute path."""
    posix = path.replace(os.sep, "/")
    if not posix.startswith("/"):
        posix = "/" + posix
    return "file://" + quote_from_bytes(os.fsencode(posix), safe="/:@!$&'()*+,;=~")


@lru_cache(maxsize=4096)  # a conversation asks for the same files before each of its requests
def to_path(uri: str) -> str | None:
    """The absolute path a `file:` URI names; None for other schemes, other hosts and no file."""
    try:
        parts = urlsplit(uri)
        raw = unquote_to_bytes(parts.path)
    except ValueError:  # brackets that hold no address, half a surrogate pair
        return None
    local = parts.netloc in ("", "localhost")
    if parts.scheme != "file" or not local or not raw.startswith(b"/") or b"\0" in raw:
        return None
    path = "/" + os.fsdecode(raw).lstrip("/")  # POSIX gives two slashes in front a meaning
    if os.name == "nt" and _DRIVE.match(path):
        path = path[1:]
    return os.path.normpath(path)


def home_of(environment: Mapping[str, str]) -> str | None:
    """The user's home folder; None if nothing names it."""
    return environment.get("HOME") or environment.get("USERPROFILE") or None
