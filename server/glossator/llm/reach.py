"""Whether the server that models are asked of can be reached at all."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from glossator.llm.backends import ANTHROPIC_URL, server_of
from glossator.settings import ModelSettings

_SECONDS = 2
_PORTS = {"http": 80, "https": 443}


async def why_unreachable(settings: ModelSettings) -> str:
    """What keeps a connection from being opened, with a next step, or "". Nothing is sent.

    The cloud backends choose their addresses themselves, so they are not tried.
    """
    if settings.backend != "anthropic" and not settings.base_url:
        return ""
    parts = urlsplit(settings.base_url or ANTHROPIC_URL)
    port = parts.port or _PORTS.get(parts.scheme, 443)
    try:
        async with asyncio.timeout(_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except TimeoutError:
        reason = f"no answer within {_SECONDS} s"
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        writer.close()
        return ""
    where = f"{server_of(settings)} (port {port})"
    return f"{where} cannot be reached: {reason}. Check the network, a proxy, and models.baseUrl."
