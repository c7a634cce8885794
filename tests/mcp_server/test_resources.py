"""Glosses as resources, and the prompts."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from tests.mcp_server.client import door, gloss

FILES = {"shop.py": "def price(net):\n    return net * 2\n", "key.py": "def key():\n    return 1\n"}


async def test_glosses_are_listed_and_read(tmp_path: Path) -> None:
    settings = {"permissions": {"deny": ["Read(key.py)"]}}
    async with door(tmp_path, FILES) as d:
        assert (await d.client.list_resources()).resources == []
        assert (await d.client.list_resource_templates()).resource_templates == []
        await gloss(d, tmp_path, "shop.py")
        await gloss(d, tmp_path, "key.py")
        listed = {each.name: each for each in (await d.client.list_resources()).resources}
        assert len(listed) == 2
        shop = next(each for each in listed.values() if "shop.py" in each.name)
        assert shop.description == "fresh"
        (content,) = (await d.client.read_resource(shop.uri)).contents
        assert isinstance(content, TextResourceContents)
        assert content.mime_type == "text/markdown"
        assert content.text.startswith("# ")
        assert "shop.py" in content.text
        with pytest.raises(MCPError, match="no such gloss"):
            await d.client.read_resource("glossator:/gloss/" + "0" * 32 + "/x.md")
        with pytest.raises(MCPError, match="no such gloss"):
            await d.client.read_resource((tmp_path / "shop.py").as_uri())
    async with door(tmp_path, FILES, settings) as d:
        (left,) = (await d.client.list_resources()).resources
        assert "shop.py" in left.name
        hidden = next(each for each in listed.values() if "key.py" in each.name)
        with pytest.raises(MCPError, match="no such gloss"):
            await d.client.read_resource(hidden.uri)


async def test_prompts_name_the_place_and_ask_for_proof(tmp_path: Path) -> None:
    async with door(tmp_path, FILES) as d:
        listed = (await d.client.list_prompts()).prompts
        assert [each.name for each in listed] == ["explain", "review", "find"]
        for each in listed:
            assert each.arguments
            (argument,) = each.arguments
            got = await d.client.get_prompt(each.name, {argument.name: "shop.py:1-2"})
            (message,) = got.messages
            assert isinstance(message.content, TextContent)
            assert "shop.py:1-2" in message.content.text
            assert "[cite: doc, PATH, L1-L2]" in message.content.text
        with pytest.raises(MCPError, match="give place"):
            await d.client.get_prompt("explain")
        with pytest.raises(MCPError, match="the prompts are explain, review, find"):
            await d.client.get_prompt("sing", {})
