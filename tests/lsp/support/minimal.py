"""`python -m tests.lsp.support.minimal`: the real server around the small service."""

from __future__ import annotations

import sys

from glossator.lsp.__main__ import main
from glossator.lsp.features import build_server
from glossator.lsp.server import Server
from glossator.lsp.service import Service


def load() -> Service:
    """As late as the real service is imported."""
    from tests.lsp.support.service import SERVICE  # noqa: PLC0415 - not before `initialize`

    return SERVICE


def build() -> Server:
    """A server with the small service."""
    return build_server(load)


if __name__ == "__main__":
    sys.exit(main(build=build))
