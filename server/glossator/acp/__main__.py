"""`python -m glossator.acp`: what editors start that speak the Agent Client Protocol."""

from __future__ import annotations

import argparse
import asyncio
import sys

from glossator.core.own_process import begin_server


def main(arguments: list[str] | None = None) -> int:
    """Serve one client over stdio, until it leaves; gives the process's exit code."""
    parser = argparse.ArgumentParser(
        "glossator acp", description="An agent for editors that speak the Agent Client Protocol."
    )
    parser.parse_args(arguments)
    begin_server("acp")
    from glossator.acp.serve import serve  # noqa: PLC0415 - the collector is off first

    return asyncio.run(serve())


if __name__ == "__main__":
    sys.exit(main())
