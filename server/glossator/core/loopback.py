"""What listens on this machine alone: its address, and the token that its clients must know."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

from glossator.core.errors import UsageError

TOKEN_BYTES = 32  # of chance


def loopback_address(text: str) -> tuple[str, int]:
    """An address that only this machine can connect to. Raises `ArgumentTypeError` for others."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:0")
    host = host.strip("[]")
    if host in {"", "localhost"}:  # whatever a file of hosts makes of the name
        host = "127.0.0.1"
    try:
        loopback = ip_address(host).is_loopback
    except ValueError:  # a name
        loopback = False
    if not loopback:
        raise argparse.ArgumentTypeError(
            f"{host} is not an address of this machine alone. Take 127.0.0.1:{port}; from another"
            f" machine, connect by a tunnel such as ssh -L {port}:127.0.0.1:{port}"
        )
    return host, int(port)


@contextmanager
def kept_in(path: Path | None, token: str) -> Iterator[None]:
    """Keep the token, within the block, in a new file that only its owner can read.

    Raises `UsageError` for a file that is there already or cannot be made.
    """
    if path is None:
        yield
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(
            f"--token-file {path} cannot be made ({error.strerror}). Name a file that is not there,"
            " in a folder that you may write."
        ) from error
    try:
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(f"{token}\n")
        yield
    finally:
        path.unlink(missing_ok=True)
