"""The JSON object in a reply."""

from __future__ import annotations

import pytest

from glossator.core.errors import ModelError
from glossator.llm.models import object_in


@pytest.mark.parametrize(
    "text", ['{"a": 1}', '```json\n{"a": 1}\n```', 'Here it is: {"a": 1}. {"b": 2}']
)
def test_the_object_in_a_reply(text: str) -> None:
    assert object_in(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "SIMPLE", "{", "{'a': 1}"])
def test_a_reply_without_an_object(text: str) -> None:
    with pytest.raises(ModelError):
        object_in(text)
