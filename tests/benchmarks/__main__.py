"""`make bench`: every benchmark, one table each; exits with 1 when a target is missed."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.benchmarks import large, startup
from tests.benchmarks.corpus import django


async def main() -> bool:
    corpus = django()
    here = Path(__file__).parents[2]
    results = [await startup.run(here), await startup.run(corpus), await large.run(corpus)]
    return all(results)


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
