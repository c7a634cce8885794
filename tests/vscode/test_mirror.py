"""The client's types are the server's."""

from __future__ import annotations

from tools.mirror import FILE, Mirror


def test_the_client_has_the_servers_types() -> None:
    assert FILE.read_text(encoding="utf-8") == Mirror().text(), "run `make wire`"
