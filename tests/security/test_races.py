"""Links that are swapped between the look at them and what is then done: nothing leads out.

GHSA-w828-4qhx-vxx3. What an editor writes it writes itself, following links as it always does; here
the server writes, for an editor that cannot make files.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

from tests.security.hostile import contents, hostile_model
from tests.standin import ToolUse

CANARY = "canary-51c0"
_READS, _GREPS, _WRITES = 200, 60, 60
_NO_FILES_MADE = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
_ANYTHING = {"permissions": {"mode": "auto", "allow": ["*"]}}


@contextmanager
def swapping(link: Path, *targets: str) -> Iterator[None]:
    """A link that leads to one target after another, all the time."""
    done = threading.Event()

    def swap() -> None:
        for target in cycle(targets):
            if done.wait(0.0002):
                return
            other = link.with_name(f"{link.name}.next")
            other.symlink_to(target)
            other.replace(link)

    link.symlink_to(targets[0])
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


async def test_no_swapped_link_leads_out(tmp_path: Path) -> None:
    ws, outside = tmp_path / "ws", tmp_path / "outside"
    for folder, text in ((ws / "inside", "within"), (outside, CANARY)):
        folder.mkdir(parents=True)
        for number in range(_READS):
            (folder / f"{number}").write_text(f"{text}\n")
    (ws / ".gitignore").write_text("out/\n")  # so that nobody watches it, and spends the time
    (ws / "out").mkdir()
    before = contents(outside)
    reads = [ToolUse("Read", {"path": f"out/way/{number}"}) for number in range(_READS)]
    greps = [
        ToolUse("Grep", {"pattern": "[a-z]", "path": f"out/way/{number}", "output_mode": "content"})
        for number in range(_GREPS)
    ]
    writes = [
        ToolUse("Write", {"path": f"out/way/new{number}", "content": "x"})
        for number in range(_WRITES)
    ]
    async with hostile_model(ws, _ANYTHING, workspace=_NO_FILES_MADE) as model:
        with swapping(ws / "out/way", "../inside", "../../outside"):
            tried = await model.tries(*reads, *greps, *writes, at_once=True)
        assert contents(outside) == before
        (ws / "out/way").unlink()
        (ws / "out/way").symlink_to("../inside")
        await model.tries(writes[0])
    assert CANARY not in tried.seen
    assert len(tried.results) == len(reads + greps + writes)
    assert 0 < sum("within" in result.text for result in tried.results) < _READS + _GREPS
    assert len(os.listdir(ws / "inside")) > _READS, "where it stands still, it is written"
