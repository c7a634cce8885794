"""The distinct trigrams of a text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from glossator.workspace.text.fold import FOLD, KEYS

_PIECE = 1 << 14  # bytes; what one step uses fits into the processor's cache


def trigrams(text: bytes) -> NDArray[np.intp]:
    """The distinct keys of `text`, ascending."""
    seen = np.zeros(KEYS, np.bool_)
    for at in range(0, len(text) - 2, _PIECE):
        piece = text[at : at + _PIECE + 2].translate(FOLD)
        # intp is what numpy indexes with; any other type would be converted, which takes longer
        folded = np.frombuffer(piece, np.uint8).astype(np.intp)
        seen[folded[:-2] << 12 | folded[1:-1] << 6 | folded[2:]] = True
    return np.flatnonzero(seen)
