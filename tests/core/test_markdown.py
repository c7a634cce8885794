"""Markdown of others is harmless, and its code is left alone."""

from __future__ import annotations

import pytest

from glossator.core.markdown import harmless


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain *words* [a](b.md)", None),
        ("![a](https://x/y)", "!\\[a](https://x/y)"),
        ("a ![b][c] d", "a !\\[b][c] d"),
        ("<img src=https://x/y>", "\\<img src=https://x/y>"),
        ("</b> <!-- x --> 1 < 2", "\\</b> \\<!-- x --> 1 < 2"),
        ("\\<img> \\![a](b)", None),  # escaped already
        ("\\\\<img>", "\\\\\\<img>"),
        ("[go](command:quit) [go]( <command:quit>)", "[go]() [go]()"),
        ("[go]\n\n[go]: command:quit", "[go]\n\n[go]:"),
        ("[go](\ncommand:quit)", "[go]()"),
        ("[go](&#99;ommand:quit)", "[go]()"),
        ("[go](COMM&#x41;ND&colon;quit) [go](command\\:quit)", "[go]() [go]()"),
        ("[go](&Tab;command:quit)\n[go]: &#99;ommand:quit", "[go]()\n[go]:"),
        ("[go](commands.md) [go](https://x/?command:y)", None),
        ("`vec![1]` and ``List<int> ` x``", None),
        ("`a\\`<img>", "`a\\`\\<img>"),
        ("\\`<img>\\`", "\\`\\<img>\\`"),
        # a back-tick of the line before might open the code that this one seems to open
        ("a ` b\nc ` <img> ` d", "a ` b\nc ` \\<img> ` d"),
        ("```rust\nlet a: Vec<int> = vec![1];\n```", None),
        ('```mermaid\nflowchart LR\n  a --> b["c<br/>d"]\n```', None),
        ("```\n```\n<img>\n```", "```\n```\n\\<img>\n```"),
    ],
)
def test_harmless(written: str, shown: str | None) -> None:
    assert harmless(written) == (written if shown is None else shown)
