"""`python -m glossator.acp`: what editors start that speak the Agent Client Protocol."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys

from glossator.core.own_process import raise_open_file_limit


def main(arguments: list[str] | None = None) -> int:
    """Serve one client over stdio, until it leaves; gives the process's exit code."""
    parser = argparse.ArgumentParser(
        "glossator acp", description="An agent for editors that speak the Agent Client Protocol."
    )
    parser.parse_args(arguments)
    raise_open_file_limit()
    gc.disable()  # the start only makes things that stay
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    from glossator.core import generated_code  # noqa: PLC0415 - the collector is off first

    generated_code.begin(generated_code.file_of("acp"))
    from glossator.acp.serve import serve  # noqa: PLC0415 - see above

    return asyncio.run(serve())


if __name__ == "__main__":
    sys.exit(main())
