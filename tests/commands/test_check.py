"""Texts of anybody's are checked against the lines as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.check import CheckRequest, check_text
from glossator.core.errors import UsageError
from glossator.core.span import CitationStatus
from tests.stage import stage

FILES = {
    "retry.py": "MOST = 3\n\n\ndef retry(times=MOST):\n    return times\n",
    "secret.py": "KEY = 'abc'\n",
}


async def test_each_sentence_is_judged_by_its_lines(tmp_path: Path) -> None:
    text = (
        "`MOST` is 3 [cite: doc, retry.py, L1]. `MOST` is 4 [cite: doc, retry.py, L1]. It logs"
        " [cite: doc, gone.py, L2].\n\nThe function `retry` sends an e-mail to the administrator.\n"
    )
    async with stage(tmp_path, FILES, []) as s:
        found = await check_text(s.app, CheckRequest(text, model=False))
    assert [each.status for each in found.citations] == [
        CitationStatus.READ,
        CitationStatus.UNSUPPORTED,
        CitationStatus.UNSUPPORTED,
    ]
    assert [each.verdict for each in found.sentences] == [
        "undecided",
        "unsupported",
        "unsupported",
        "uncited",
    ]
    assert found.sentences[1].reason
    assert found.sentences[3].text.startswith("The function")


async def test_what_rules_hide_is_not_checked(tmp_path: Path) -> None:
    settings = {"permissions": {"deny": ["Read(secret.py)"]}}
    async with stage(tmp_path, FILES, [], settings) as s:
        with pytest.raises(UsageError, match=r"hides secret\.py"):
            await check_text(s.app, CheckRequest("`KEY` is abc [cite: doc, secret.py, L1]."))
        with pytest.raises(UsageError, match="empty"):
            await check_text(s.app, CheckRequest(" "))
