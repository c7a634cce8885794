"""Bytes kept by their own SHA-256, for checkpoints: each once, compressed where that pays.

They lie in a file of `Blobs`: bounded, what was not used for the longest goes first, several
processes may share it. An object that comes back is the one that was kept, or None.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence

from glossator.store.blobs import Blobs

_NAMESPACE = "objects"
_STORED, _DEFLATED = b"\0", b"\1"  # the first byte says how the others are to be read
_LEVEL = 1  # a third of the time of the usual one, for a tenth more bytes
_WORTH = 0.9  # of the size; what does not shrink below is stored as it is
_SMALL = 200  # bytes that are not worth the trouble


def object_id(content: bytes) -> str:
    """The name under which `content` is kept."""
    return hashlib.sha256(content).hexdigest()


class Objects:
    """One file of objects, of at most about `max_bytes`. Every method raises `StoreUnavailable`.

    Belongs to one thread.
    """

    def __init__(self, path: str, max_bytes: int) -> None:
        self._blobs = Blobs(path, max_bytes, "what files hold cannot be kept for an undo")

    def put(self, contents: Iterable[bytes]) -> list[str]:
        """Keep `contents`, all or none; gives their names."""
        named = {object_id(content): content for content in contents}
        known = self.known(named)
        fresh = {
            bytes.fromhex(name): _packed(content)
            for name, content in named.items()
            if name not in known
        }
        if fresh:
            self._blobs.put(_NAMESPACE, fresh)
        return list(named)

    def get(self, name: str) -> bytes | None:
        """The object; None when it had to make room, or is damaged."""
        key = bytes.fromhex(name)
        packed = self._blobs.get(_NAMESPACE, [key]).get(key)
        content = None if packed is None else _unpacked(packed)
        return content if content is not None and object_id(content) == name else None

    def known(self, names: Iterable[str]) -> set[str]:
        """Those of `names` that are kept; they count as used today."""
        keys: Sequence[bytes] = [bytes.fromhex(name) for name in names]
        return {key.hex() for key in self._blobs.known(_NAMESPACE, keys)}

    def close(self) -> None:
        """Give the file back; safe to call again."""
        self._blobs.close()


def _packed(content: bytes) -> bytes:
    if len(content) > _SMALL:
        deflated = zlib.compress(content, _LEVEL)
        if len(deflated) < len(content) * _WORTH:
            return _DEFLATED + deflated
    return _STORED + content


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return packed[1:] if packed[:1] == _STORED else zlib.decompress(packed[1:])
    except zlib.error:
        return None
