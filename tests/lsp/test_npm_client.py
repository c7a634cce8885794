"""A client made of npm's packages for language servers: whatever they find wrong fails the test."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lsp.support.desk import told
from tests.lsp.test_editing import CALC, FIX
from tests.patience import SECONDS
from tests.standin import StandIn

SCRIPT = Path(__file__).parent / "npm" / "client.mjs"
NODE = Path(sys.prefix) / "node" / "node"
CLIENT = Path(__file__).parents[2] / "vscode-client"
PROTOCOL = CLIENT / "node_modules" / "vscode-languageserver-protocol"


async def test_npms_client_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert NODE.exists(), "Node is set up by `make test`"
    assert PROTOCOL.exists(), "The client's packages are set up by `make client`"
    (tmp_path / "calc.py").write_text(CALC)
    async with StandIn(FIX) as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        done = await asyncio.to_thread(run, tmp_path)
        assert done.returncode == 0, done.stderr
        assert api.refusals == []
        assert told(api, "edit").startswith("Changed calc.py in ")
    seen = json.loads(done.stdout)
    assert (seen["wrong"], done.stderr, seen["code"]) == ([], "", 0)
    assert "def add(a, b)" in seen["hover"]
    assert seen["answer"] == "Fixed."
    assert seen["text"] == CALC.replace("a - b", "a + c")


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NODE, SCRIPT, sys.executable, CLIENT, folder],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
