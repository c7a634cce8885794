"""A session goes on, whatever a model's server or its log holds: the strict stand-in takes it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.sessions.sessions import sessions_folder
from glossator.store.log import framed, parse
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

_FILES = {"a.py": "one\n", "b.py": "two\n"}


def _read(path: str, id_: str) -> ToolUse:
    return ToolUse("Read", {"path": path}, id_)


_READING: Script = [
    Turn(_read("a.py", "r1")),
    Turn(Text("One.")),
    Turn(_read("b.py", "r2")),
    Turn(Text("Two.")),
]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.parametrize(
    "ids",
    [("", ""), ("a", "a"), ("a b", "ü"), ("x/y", "x.y")],
    ids=["empty", "twice", "odd", "marks"],
)
async def test_calls_of_a_compatible_server_get_ids_that_can_be_sent_back(
    tmp_path: Path, ids: tuple[str, str]
) -> None:
    one, two = ids
    script: Script = [
        Turn(_read("a.py", one), _read("b.py", two)),
        Turn(_read("a.py", one)),  # again, in a later reply
        Turn(Text("Read.")),
        Turn(Text("Still there.")),
    ]
    async with stage(tmp_path / "ws", _FILES, script) as s:
        session = (await s.ask("Read both.")).session_id
        (first, second) = s.results(1).values()
        assert ("one" in str(first["content"]), "two" in str(second["content"])) == (True, True)
        assert (await s.ask("And now?", session_id=session)).text == "Still there."
        assert s.api.refusals == []


async def test_a_reply_that_is_empty_is_not_sent_back(tmp_path: Path) -> None:
    script: Script = [Turn(Text(" \n")), Turn(), Turn(Text("Here."))]
    async with stage(tmp_path / "ws", _FILES, script) as s:
        session = (await s.ask("Anything?")).session_id
        await s.ask("Really?", session_id=session)
        assert (await s.ask("And now?", session_id=session)).text == "Here."
        assert s.api.refusals == []


Records = list[dict[str, Any]]


def _twice(records: Records) -> None:
    """The ids of an older version, from a server that gives each call the same one."""
    for record in records:
        for block in _blocks(record):
            for name in {"id", "tool_use_id"} & block.keys():
                block[name] = "call"


def _empty(records: Records) -> None:
    for record in records:
        for block in _blocks(record):
            for name in {"id", "tool_use_id"} & block.keys():
                block[name] = ""


def _without_input(records: Records) -> None:
    for record in records:
        for block in _blocks(record):
            block.pop("input", None)


def _without_results(records: Records) -> None:
    for record in records:
        for block in _blocks(record):
            if block["type"] == "tool_result":
                block.update(type="text", text=" ")
                del block["tool_use_id"], block["content"]


def _swapped(records: Records) -> None:
    said = [n for n, record in enumerate(records) if record["kind"] in {"said", "received"}]
    records[said[1]], records[said[2]] = records[said[2]], records[said[1]]


def _without_replies(records: Records) -> None:
    records[:] = [record for record in records if record["kind"] != "received"]


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    message: dict[str, Any] = record.get("message") or {"content": []}
    blocks: list[dict[str, Any]] = message["content"]
    return blocks


@pytest.mark.parametrize(
    "damage", [_twice, _empty, _without_input, _without_results, _swapped, _without_replies]
)
async def test_an_old_session_is_repaired_once_and_stays_so(
    tmp_path: Path, damage: Callable[[Records], None]
) -> None:
    root = tmp_path / "ws"
    session = await _asked_twice(root)
    (log,) = sessions_folder().glob("*.log")
    records = [json.loads(each) for each in parse(log.read_bytes()).records]
    damage(records)
    log.write_bytes(framed([json.dumps(each).encode() for each in records]))
    prompts = []
    for _ in range(2):
        async with stage(root, {}, [Turn(Text("I go on."))]) as s:
            assert (await s.ask("And now?", session_id=session)).text == "I go on."
            assert s.api.refusals == []
            assert [told for told in s.port.told if "parts that models reject" in told]
            prompts.append(without_cache_marks(s.sent(0))["messages"])
    before, after = prompts
    assert after[: len(before)] == before


@pytest.mark.parametrize("seed", range(8))
async def test_lines_in_disorder_cost_what_follows_them_and_no_more(
    tmp_path: Path, seed: int
) -> None:
    root, chance = tmp_path / "ws", random.Random(seed)
    session = await _asked_twice(root)
    (log,) = sessions_folder().glob("*.log")
    lines = log.read_bytes().splitlines(keepends=True)
    one, other = sorted(chance.sample(range(2, len(lines)), 2))
    match seed % 4:
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            del lines[one]
        case 3:
            lines[one] = lines[one][: chance.randrange(len(lines[one]) - 1)] + b"\n"
    log.write_bytes(b"".join(lines))
    async with stage(root, {}, [Turn(Text("I go on."))]) as s:
        await resume_session(s.app, ResumeSessionRequest(session))
        (told,) = [each for each in s.port.told if "was damaged on disk" in each]
        assert ".damaged" in told
        assert (await s.ask("And now?", session_id=session)).text == "I go on."
        assert s.api.refusals == []
    assert log.with_suffix(".log.damaged").read_bytes() == b"".join(lines)


async def _asked_twice(root: Path) -> str:
    async with stage(root, _FILES, _READING) as s:
        session = await _ask(s, "One?")
        return await _ask(s, "Two?", session_id=session)


async def _ask(s: Stage, question: str, **fields: Any) -> str:
    return (await s.ask(question, **fields)).session_id
