"""In Neovim, headless: a hover, an explore report, and a gloss that goes stale as one types."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.patience import SECONDS
from tests.service.test_gloss import FILES

SCRIPT = Path(__file__).parent / "neovim" / "glosses.lua"


def test_glosses_are_seen(tmp_path: Path) -> None:
    nvim = shutil.which("nvim")
    assert nvim, "Neovim is not installed: run `make system`."
    root, result = tmp_path / "work", tmp_path / "seen.json"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    environment = os.environ | {
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "FILE": "zoo/fish.py",
        "PYTHON": sys.executable,
        "RESULT": str(result),
    }
    ended = subprocess.run(
        [nvim, "--headless", "-u", "NONE", "-n", "-S", str(SCRIPT)],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.exists(), ended.stderr
    seen = json.loads(result.read_text())
    assert ended.returncode == 0, (seen, ended.stderr)
    assert "def splash(far)" in seen["before"]
    assert "- Called by `Fish.swim`. [cite: doc, zoo/fish.py, 9-9]" in seen["answer"]
    link = f"[`zoo/fish.py:12-13`]({(root / 'zoo/fish.py').as_uri()}#L12)"
    assert link in seen["report"]
    assert "## Searched\n\n- splash (" in seen["report"]
    assert "offline, extractive" in seen["report"]
    assert "Function: `def splash(far)`." in seen["after"]
    assert "extracted without a model" in seen["stale"]
