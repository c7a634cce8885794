"""Permission rules in the terminal: edited before they are kept, listed, removed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.context import RuleList
from glossator.core.wire import from_wire
from tests.cli.drawing import drawn
from tests.cli.support import PYTHONPATH
from tests.cli.test_dialogue import ONCE_ONLY, PERMISSION, Stage

_LEFT = "allow\tBash(ls)\tanswered: always here\n"
_TWO = PERMISSION | {"suggestions": ["Bash(npm test:*)", "Bash(git add:*)"]}


@pytest.mark.parametrize(
    ("request_", "lines", "answer"),
    [
        (PERMISSION, ["e", "Bash(npm:*)", "s"], {"choice": "session", "rules": ["Bash(npm:*)"]}),
        (PERMISSION, ["E", " Bash(npm:*) ", "a"], {"choice": "always", "rules": ["Bash(npm:*)"]}),
        (PERMISSION, ["e", "", "a"], {"choice": "always"}),
        (PERMISSION, ["e", "-", "a"], {"choice": "always", "rules": []}),
        (PERMISSION, ["e", "Bash(x)", "y"], {"choice": "once"}),
        (PERMISSION, ["e", "Bash(x)", "n"], {"choice": "deny"}),
        (PERMISSION, ["e"], {"choice": "deny"}),  # then the end of input
        (_TWO, ["e", "", "Bash(git add src)", "s"], {
            "choice": "session", "rules": ["Bash(npm test:*)", "Bash(git add src)"],
        }),
        (_TWO, ["e", "-", "", "e", "Bash(git)", "s"], {
            "choice": "session", "rules": ["Bash(git)"],
        }),
        (ONCE_ONLY, ["e", "y"], {"choice": "once"}),
    ],
)  # fmt: skip
async def test_rules_are_edited(
    request_: dict[str, Any], lines: list[str], answer: dict[str, Any]
) -> None:
    decided = await Stage(*lines).replies.reply("glossator/permission", request_)
    assert decided == {"message": "", **answer}


async def test_how_rules_are_edited() -> None:
    stage = Stage("e", "Bash(npm:*)", "s")
    await stage.replies.reply("glossator/permission", PERMISSION)
    assert stage.seen.endswith(
        "> The rule: Bash(npm test:*)\n"
        "Type another in its place, - for none, or Enter to keep it.\n"
        "> No rule allows it.\n"
        "s and a also allow later commands that match Bash(npm:*),\nwithout asking.\n"
        "y allow once · s allow for this session · a always allow\n"
        "here · e edit rules · n refuse (or say why)\n"
        "> "
    )


def test_how_rules_are_listed() -> None:
    answer: Any = {
        "rules": [
            {"text": "Read(.env)", "effect": "deny", "source": "settings", "removable": False},
            {"text": "Edit(a\u202e)", "effect": "allow", "source": "always", "removable": True},
        ]
    }
    seen = drawn(lambda renderer: renderer.answer(from_wire(RuleList, answer)))
    assert [line.rstrip() for line in seen.split("\n")] == [
        "       rule           from",
        "deny   Read(.env)     settings or options",
        r"allow  Edit(a\u202e)  answered: always here",
        "",
    ]


async def _run(root: Path, *words: str) -> tuple[int | None, str, str]:
    folders = {"XDG_CONFIG_HOME": str(root / "config"), "XDG_STATE_HOME": str(root / "state")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "glossator", "rules", *words, "-C", str(root)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **folders},
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_a_rule_for_always_is_listed_and_removed(tmp_path: Path) -> None:
    kept = tmp_path / "config/glossator/grants.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(
        f'{{"version": 1, "folders": {{"{tmp_path.as_uri()}": ["Bash(npm test:*)", "Bash(ls)"]}}}}'
    )
    kept.chmod(0o600)
    code, out, err = await _run(tmp_path)
    assert (code, out) == (
        0,
        "allow\tBash(npm test:*)\tanswered: always here\nallow\tBash(ls)\tanswered: always here\n",
    ), err
    code, out, err = await _run(tmp_path, "remove", "Bash(npm test:*)")
    assert (code, out) == (0, _LEFT), err
    assert "Removed Bash(npm test:*): Glossator asks again." in err
    code, out, err = await _run(tmp_path, "remove", "Bash(npm test:*)")
    assert (code, out) == (1, "")
    assert "There is no rule Bash(npm test:*) to remove; there are: Bash(ls)." in err
    assert "npm" not in kept.read_text()
