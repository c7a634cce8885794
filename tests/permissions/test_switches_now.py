"""What is off, of all kinds in one look."""

from __future__ import annotations

from pathlib import Path

from glossator.permissions import Switches


def test_all_kinds_are_known_in_one_look(tmp_path: Path) -> None:
    file = tmp_path / "off.json"
    switches = Switches(print, lambda: (str(tmp_path),), file)
    assert switches.now() == {}
    switches.turn("mcp", "odd one", on=False)
    switches.turn("hook", "stop-1", on=False)
    assert switches.now() == {"mcp": frozenset({"odd one"}), "hook": frozenset({"stop-1"})}
    switches.turn("mcp", "odd one", on=True)
    assert (switches.now(), switches.off("mcp")) == ({"hook": frozenset({"stop-1"})}, frozenset())
