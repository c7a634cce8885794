"""What people see of recordings and of single events, drawn without a server."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from glossator.cli.render.markdown import THEME
from glossator.cli.render.pipe import Pipe
from glossator.cli.render.renderer import Renderer
from glossator.cli.render.screen import Screen
from tests.cli.support import RECORDINGS


def recorded(name: str) -> Any:
    """A recording, by the name of its file."""
    return json.loads((RECORDINGS / f"{name}.json").read_text("utf-8"))


def drawn(
    show: Callable[[Renderer], None], *, thinking: bool = False, colours: bool = False
) -> str:
    """What a terminal of 60 columns shows."""
    console = Console(
        file=io.StringIO(),
        width=60,
        theme=THEME,
        highlight=False,
        force_terminal=colours,
        color_system="standard" if colours else None,
    )
    renderer = Renderer(Screen([Path("/w")], console), thinking=thinking)
    show(renderer)
    renderer.close()
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def pipe() -> Renderer:
    """What a pipe gets goes to the standard streams."""
    return Renderer(Pipe())


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """One event of a run."""
    return {"kind": kind, "runId": "r", "seq": 0, **fields}
