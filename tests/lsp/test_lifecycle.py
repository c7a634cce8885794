"""The order of life: initialize, wait for the service, shutdown, exit; and every other end."""

from __future__ import annotations

from tests.lsp.support.editor import spawned


async def test_a_server_answers_and_leaves() -> None:
    async with spawned() as process:
        editor = process.editor
        offered = await editor.initialize()
        assert offered["serverInfo"]["name"] == "glossator"
        status = await editor.result(editor.command("glossator.status"))
        assert status["encoding"] == "utf-16"
        await editor.shut_down()
        assert await process.exit_code() == 0
        assert await process.errors() == "application closed\n"
