"""What is sent to a server to be embedded: announced before, and counted after."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.index import IndexMode, IndexRequest, embedding_state, rebuild_index
from tests.patience import until
from tests.retrieval.embeddings.servers import serving
from tests.stage import stage
from tests.standin import Text, Turn

FILES = {f"herd_{n}.py": f"def graze_{n}(zebra):\n    return zebra.eat({n})\n" for n in range(120)}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_it_is_announced_and_counted(tmp_path: Path) -> None:
    with serving() as server:
        server.tokens = 10
        retrieval = {"embedder": "openai", "embeddingUrl": server.url, "embeddingModel": "small"}
        prices = {"prices": {"small": {"input": 1.0, "output": 0.0}}}
        settings = {"retrieval": retrieval, "models": prices}
        async with stage(tmp_path / "ws", FILES, [Turn(Text("Hm."))], settings=settings) as s:
            await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
            await until(lambda: "1,200 tokens ($0.0012) embedded" in embedding_state(s.app))
            said = [message for message in s.port.told if "are sent to 127.0.0.1" in message]
            assert [
                message.startswith("About 120 chunks of this workspace") for message in said
            ] == [True]
            answer = await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
            assert "1,200 tokens ($0.0012) embedded at 127.0.0.1" in answer.embedding
            assert len([text for asked in server.asked for text in asked.texts]) == 120
