"""A tool call in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from glossator.core.brief import brief_arguments

EDIT = {"old_text": "a", "new_text": "b"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ""),
        ({"pattern": "foo", "limit": 3}, 'pattern="foo" limit=3'),
        ({"pattern": "x" * 99}, f'pattern="{"x" * 38}…'),
        ({"paths": ["a", "b"]}, 'paths=["a", "b"]'),
        ({"paths": []}, "paths=[]"),
        ({"path": "a.py", "edits": [EDIT, EDIT]}, 'path="a.py" 2 edits'),
        ({"path": "a.py", "edits": [EDIT]}, 'path="a.py" 1 edit'),
    ],
)
def test_brief(arguments: dict[str, Any], expected: str) -> None:
    assert brief_arguments(arguments) == expected
