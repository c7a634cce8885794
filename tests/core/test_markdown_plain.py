"""Markdown for those who are shown none."""

from __future__ import annotations

import pytest

from glossator.core.markdown import plain


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("```python\ndef f(*args, **kw): # *x*\n```\n\nGives `a*b` *now*.",
         "def f(*args, **kw): # *x*\n\nGives a*b now."),
        ("*function · zoo/water.py:1-2*", "function · zoo/water.py:1-2"),
        ("*args and **kwargs are a * b * c, snake_case_too", None),
        ("**bold** and *one*, *two*", "bold and one, two"),
        ("a\n\n---\n\nb", "a\n\nb"),
        ("## Title\ntext # no title", "Title\ntext # no title"),
        ("[`zoo/fish.py:9-11`](file:///zoo/fish.py#L9) (changed)", "zoo/fish.py:9-11 (changed)"),
        (r"no\_marks \<b>", "no_marks <b>"),
        ("~~~\n```\n~~~\n", "```\n"),
        ("```c\nunclosed", None),
        ("items[0](x) stays", None),
        ("  indented\n  - item\n", None),
        ("`a[0](b/c)` and `**kw`", "a[0](b/c) and **kw"),
        ("[`a(b).py:1`](file:///a(b).py#L1)", "a(b).py:1"),
        ("[`a b.py:1`](<file:///a b.py#L1>), [x](y/z)", "a b.py:1, x"),
        ("a[0](b), c/d", None),
        ("*see `x` there*", "see x there"),
        (r"&lt;b&gt; &amp; `&lt;` \&lt; &nothing;", "<b> & &lt; &lt; &nothing;"),
    ],
)  # fmt: skip
def test_plain(markdown: str, expected: str | None) -> None:
    assert plain(markdown) == (markdown if expected is None else expected)
