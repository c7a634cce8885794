"""What a chat asks of the server beside questions: completions, and images that are pasted."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from tests.core.test_images import png
from tests.lsp.support.desk import acting
from tests.standin import Text, Turn


async def test_completions(tmp_path: Path) -> None:
    (tmp_path / "fish.py").write_text("def swim():\n    return 1\n", "utf-8")
    async with acting(tmp_path, []) as a:
        answer: dict[str, Any] = {"incomplete": True}
        while answer["incomplete"]:
            argument = {"text": "See @fi", "limit": 3}
            answer = await a.editor.result(a.editor.command("glossator.complete", argument))
        assert answer == {
            "items": [
                {"kind": "file", "label": "fish.py", "detail": "", "insert": "@fish.py"},
            ],
            "typed": "@fi",
            "incomplete": False,
        }


async def test_a_pasted_image_and_a_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/fish.py").write_text("x = 1\n", "utf-8")
    data = base64.b64encode(png(2, 2)).decode()
    async with acting(tmp_path, [Turn(Text("I see."))]) as a:
        attachments = [
            {"mediaType": "image/png", "data": data, "name": "shot.png"},
            {"uri": (tmp_path / "deep").as_uri()},
        ]
        argument = {"question": "What is it?", "attachments": attachments}
        await a.editor.result(a.editor.command("glossator.ask", argument))
        _, picture, image, folder, _ = a.api.requests[0].body["messages"][0]["content"]
        assert "shot.png" in picture["text"]
        assert image["source"]["data"] == data
        assert "fish.py (6 bytes)" in folder["text"]
