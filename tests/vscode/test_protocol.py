"""The protocol's table of commands is the server's."""

from __future__ import annotations

from tools.protocol import FILE, generated


def test_the_table_of_commands_is_the_servers() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert generated(text) == text, "run `make wire`"
