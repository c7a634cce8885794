"""Code is asked of language servers of ours where the editor cannot be asked: a real one."""

from __future__ import annotations

import sys
from pathlib import Path

from glossator.commands.doctor import DoctorRequest, doctor
from tests.sandboxed import SANDBOXED
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

FILES = {
    "press.py": "def press(depth: int) -> int:\n    return depth\n",
    "use.py": "from press import press\n\nprint(press(1))\n",
}
SERVER = f"{Path(sys.prefix) / 'bin' / 'basedpyright-langserver'} --stdio"
SETTINGS = {"languageServers": {"enabled": "auto", "commands": {"python": SERVER}}}

pytestmark = SANDBOXED


async def test_references_and_types(tmp_path: Path) -> None:
    script = [
        Turn(ToolUse("Symbols", {"mode": "references", "name": "press"}, "references")),
        Turn(ToolUse("Symbols", {"mode": "type", "name": "press"}, "type")),
        Turn(Text("Done.")),
    ]
    async with stage(tmp_path, FILES, script, SETTINGS) as s:
        await s.ask("Where is press used?")
        references = s.results(1)["references"]["content"]
        assert "use.py" in references
        assert "basedpyright" in references
        assert "def press(depth: int) -> int" in s.results(2)["type"]["content"]
        checks = (await doctor(s.app, DoctorRequest())).checks
        [told] = [each.detail for each in checks if "basedpyright" in each.detail]
        assert "for python: " in told
        assert "runs" in told
        assert " MB, started in " in told
