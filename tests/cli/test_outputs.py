"""`--outputs`: what tools gave the model, at a terminal; and the files that a run changed."""

from __future__ import annotations

import pytest

from glossator.cli.render.pipe import Pipe
from glossator.cli.render.renderer import Renderer
from tests.cli.drawing import event

CALLED = {"callId": "c", "tool": "Bash"}
RUN = (
    event("tool.started", **CALLED, arguments={"command": "make"}),
    event("tool.output", callId="c", text="one", live=True),
    event("tool.output", callId="c", text="one\ntwo \x1b[31m\u202e", live=False),
    event(
        "tool.finished",
        **CALLED,
        summary="2 lines of output",
        error=False,
        milliseconds=4.0,
    ),
    event(
        "files.changed",
        files=[
            {"path": "a.py", "uri": "file:///w/a.py", "change": "changed"}
            | {"added": 3, "removed": 1}
        ],
        more=0,
        unsaved=["a.py"],
    ),
)


@pytest.mark.parametrize("outputs", [True, False])
def test_outputs_stand_below_their_calls(
    capsys: pytest.CaptureFixture[str], *, outputs: bool
) -> None:
    renderer = Renderer(Pipe(), outputs=outputs)
    for each in RUN:
        renderer.event(each)
    head, *given, changed = capsys.readouterr().err.splitlines()
    assert head.startswith('✓ Run command="make"  2 lines of output')
    assert [each.strip() for each in given] == (["one", r"two ␛[31m\u202e"] * outputs)
    assert changed == (
        "changed 1 file, +3 -1 lines: a.py."
        " Not saved in the editor: a.py. Save what you want to keep."
    )
