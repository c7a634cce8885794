"""Which addresses secrets may go to."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_private_enough(url: str, server: str) -> bool:
    """Whether what is secret may go to `url`, for a login to the MCP server at `server`.

    Only over https; plain http is for what runs on this machine, and only a server that does so
    itself may lead there. Raises `ValueError` for what is no URL.
    """
    where = urlsplit(url)
    if where.scheme == "https":
        return bool(where.hostname)
    return where.scheme == "http" and _is_here(url) and _is_here(server)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False
