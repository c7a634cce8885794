"""`python -m glossator.lsp [--tcp HOST:PORT [--token-file FILE]]`: what editors start."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from glossator.core.errors import UsageError
from glossator.core.loopback import loopback_address
from glossator.core.own_process import begin_server

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def main(arguments: list[str] | None = None, build: Callable[[], Server] | None = None) -> int:
    """Serve one client; gives the process's exit code."""
    parser = argparse.ArgumentParser("glossator.lsp", description="The Glossator language server.")
    way_in = parser.add_mutually_exclusive_group()
    way_in.add_argument("--stdio", action="store_true", help="serve over stdio, the default")
    way_in.add_argument(
        "--tcp",
        type=loopback_address,
        metavar="HOST:PORT",
        help="serve one client of this machine, which knows the token that is printed, over TCP"
        " instead of stdio; port 0 takes a free one",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="write the token to a new file, which is gone when it was used, and do not print it",
    )
    options = parser.parse_args(arguments)
    if options.token_file and not options.tcp:
        parser.error("--token-file needs --tcp")
    # Classes are late before the code that they generate is kept: attrs is imported then.
    gc.disable()
    from glossator.lsp import late_classes  # noqa: PLC0415 - the collector is off

    begin_server("lsp")
    late_classes.import_types()
    from glossator.lsp.features import build_server  # noqa: PLC0415 - see above
    from glossator.lsp.listen import serve_stdio, serve_tcp  # noqa: PLC0415 - see above

    server = (build or build_server)()
    if options.tcp:
        try:
            return asyncio.run(serve_tcp(server, options.tcp, options.token_file))
        except UsageError as error:
            parser.error(str(error))
    return asyncio.run(serve_stdio(server))


def _exit(status: int) -> NoReturn:
    """End this process, in which everything is closed, with its output written.

    Python would also take every module apart, which takes longer than all the rest of the end.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    _exit(main())
