"""`ask --plan` and `--direct`: what the server is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import glossator
from tests.cli.test_session_commands import commands


@pytest.mark.parametrize(
    ("flags", "told"),
    [((), {}), (("--plan",), {"plan": "plan"}), (("--direct",), {"plan": "direct"})],
)
def test_the_choice(tmp_path: Path, flags: tuple[str, ...], told: dict[str, str]) -> None:
    ended = glossator("ask", "ask", "hi", *flags, "-v", cwd=tmp_path)
    assert commands(ended) == [("ask", {"question": "hi", **told})]


def test_not_both(tmp_path: Path) -> None:
    ended = glossator("ask", "ask", "hi", "--plan", "--direct", cwd=tmp_path)
    assert ended.code == 2
    assert "--plan and --direct exclude each other; choose one." in ended.err
