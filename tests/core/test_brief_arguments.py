"""A tool call in a few words."""

from __future__ import annotations

from typing import Any

import pytest

from glossator.core.shown import brief_arguments

EDIT = {"old_text": "a", "new_text": "b"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ""),
        ({"pattern": "foo", "limit": 3}, 'pattern="foo" limit=3'),
        ({"pattern": "x" * 99, "limit": 3}, f'pattern="{"x" * 37}…" limit=3'),
        ({"pattern": "\\" * 99}, 'pattern="' + "\\" * 36 + '…"'),  # no half of an escape
        ({"pattern": "x" * 38}, f'pattern="{"x" * 38}"'),
        ({"paths": ["long" * 5, "names" * 5]}, "2 paths"),
        ({"place": {"a": "x" * 40}}, "place=…"),
        ({"paths": ["a", "b"]}, 'paths=["a", "b"]'),
        ({"paths": []}, "paths=[]"),
        ({"path": "a.py", "edits": [EDIT, EDIT]}, 'path="a.py" 2 edits'),
        ({"path": f"{'deep/' * 9}a.py"}, 'path="…/deep/deep/deep/deep/deep/deep/a.py"'),
        ({"new_path": f"deep/{'x' * 50}.py"}, f'new_path="…{"x" * 34}.py"'),
        ({"path": f"{'deep/' * 9}"}, 'path="…/deep/deep/deep/deep/deep/deep/deep/"'),
        ({"path": "a.py", "edits": [EDIT]}, 'path="a.py" 1 edit'),
    ],
)
def test_brief(arguments: dict[str, Any], expected: str) -> None:
    assert brief_arguments(arguments) == expected
