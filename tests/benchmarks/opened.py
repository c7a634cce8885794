"""An application on a repository, in this process, with a state folder of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from glossator.application.application import Application
from glossator.core.tool_result import ToolResult
from glossator.llm.model import ToolCall
from glossator.settings.load import load_settings
from glossator.tools.base import ToolContext
from glossator.tools.reads import ReadState
from glossator.turn.calls import call_tool, permit_direct_call
from tests.benchmarks.corpus import ripgrep
from tests.stage import Recorder


@asynccontextmanager
async def opened(root: Path, state: Path) -> AsyncIterator[Application]:
    """The model ready, the workspace not started yet."""
    workspace: Mapping[str, Any] = {"ripgrep": str(ripgrep())}
    settings = load_settings(
        {"models": {"offline": True}, "workspace": workspace}, {}, file=state / "no-settings.toml"
    )
    app = Application((str(root),), settings, Recorder(), "utf-16", {})
    await app.model.prepare()
    try:
        yield app
    finally:
        await app.close()


async def call(app: Application, tool: str, **arguments: Any) -> ToolResult:
    """What the model would be given."""
    context = ToolContext(app.host.snapshot(), ReadState(), app.reading_abilities(None))
    return await call_tool(
        app.tools, ToolCall("bench", tool, arguments), context, permit_direct_call
    )


@contextmanager
def state_folder() -> Iterator[Path]:
    """A new one for this process and those it starts; removed at the end."""
    before = os.environ.get("XDG_STATE_HOME")
    state = Path(tempfile.mkdtemp(prefix="glossator-bench-"))
    os.environ["XDG_STATE_HOME"] = str(state)
    try:
        yield state
    finally:
        shutil.rmtree(state)
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before
