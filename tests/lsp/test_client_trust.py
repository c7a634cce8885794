"""What a client says about its user's trust."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from glossator.lsp.client import describe


@pytest.mark.parametrize(
    ("options", "trusted"),
    [
        (None, None),
        ({}, None),
        ({"trusted": True}, True),
        ({"trusted": False}, False),
        ({"trusted": "yes"}, None),
        ({"trusted": 1}, None),
        ({"settings": {"trusted": True}}, None),
        ([], None),
    ],
)
def test_only_a_plain_word_counts(options: Any, trusted: bool | None) -> None:
    params = types.InitializeParams(types.ClientCapabilities(), initialization_options=options)
    assert describe(params).trusted is trusted
