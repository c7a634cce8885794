"""Grammars that fail, in the worker processes that a test starts: each breaks one language.

A module in `PYTHONPATH` stands before the installed one of its name.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BODIES = {
    "raises": "raise ZeroDivisionError('no such node')",
    "crashes": "ctypes.string_at(0)",
    "loops": "while True: time.sleep(1)",
}


def break_grammars(folder: Path, monkeypatch: pytest.MonkeyPatch, harms: dict[str, str]) -> None:
    """Let the grammars of languages do what `harms` says; the modules are written to `folder`."""
    folder.mkdir()
    for language, harm in harms.items():
        code = f"import ctypes, time\n\ndef language():\n    {_BODIES[harm]}\n"
        (folder / f"tree_sitter_{language}.py").write_text(code)
    here = Path(__file__).parents[1] / "server"  # in a second work tree, too
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(folder), str(here))))
