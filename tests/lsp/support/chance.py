"""Random tests that can be replayed."""

from __future__ import annotations

import os
import random


def seeded() -> random.Random:
    """A source of chance; its seed is printed, and pytest shows it when the test fails."""
    seed = int(os.environ.get("SEED") or random.randrange(2**32))
    print(f"replay with SEED={seed}")  # noqa: T201 - the seed that replays the run
    return random.Random(seed)
