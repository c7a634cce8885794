"""An editor on a server in this process, with the small service and one root."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.lsp.support.editor import Editor, connected
from tests.lsp.support.minimal import build


@pytest.fixture
async def raw() -> AsyncIterator[Editor]:
    """Connected; nothing was said yet."""
    async with connected(build()) as editor:
        yield editor


@pytest.fixture
async def editor(raw: Editor, tmp_path: Path) -> Editor:
    """Initialized on `tmp_path`, wanting events."""
    wants_events = {"experimental": {"glossator": {"events": True}}}
    await raw.initialize(wants_events, rootUri=tmp_path.as_uri())
    return raw
