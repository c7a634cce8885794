"""`python -m glossator.mcp_server [-C DIR] [--http HOST:PORT]`: what other agents start."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from glossator.core.errors import UsageError
from glossator.core.loopback import loopback_address
from glossator.core.own_process import begin_server


def main(arguments: list[str] | None = None) -> int:
    """Serve until the client leaves, or by HTTP until a signal; gives the process's exit code."""
    parser = argparse.ArgumentParser(
        "glossator mcp serve", description="Glossator's tools for other agents, by MCP; they read."
    )
    parser.add_argument(
        "-C",
        "--workspace",
        dest="folder",
        type=_folder,
        metavar="DIR",
        help="the folder to read; without it those that the client names, else the current one",
    )
    parser.add_argument(
        "--http",
        type=loopback_address,
        metavar="HOST:PORT",
        help="serve clients of this machine, which know the token that is printed, over streamable"
        " HTTP instead of stdio; port 0 takes a free one",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="write the token to a new file, which is gone at the end, and do not print it",
    )
    parser.add_argument(
        "--remember",
        action="store_true",
        help="offer remember_fact as well, by which clients add facts that the lines cited support",
    )
    options = parser.parse_args(arguments)
    if options.token_file and not options.http:
        parser.error("--token-file needs --http")
    begin_server("mcp")
    from glossator.mcp_server.serve import serve_http, serve_stdio  # noqa: PLC0415 - collector is off
    from glossator.mcp_server.server import GlossatorServer  # noqa: PLC0415 - see above

    roots = (options.folder,) if options.folder else None
    if options.http:
        roots = roots or (os.getcwd(),)
    server = GlossatorServer(roots, remembers=options.remember)
    try:
        if options.http:
            serving = serve_http(server, options.http, options.token_file)
        else:
            serving = serve_stdio(server)
        return asyncio.run(serving)
    except UsageError as error:
        parser.error(str(error))


def _folder(text: str) -> str:
    path = os.path.abspath(text)
    if not os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{text} is no folder")
    return path


if __name__ == "__main__":
    sys.exit(main())
