"""A log that was cut: what is missing is said, with where the damaged file is kept."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.sessions.sessions import Sessions
from tests.lsp.support.chance import seeded

TURNS = 12


async def kept(folder: Path, tell: list[str]) -> tuple[str, Path]:
    """A session with some turns, closed; its id and its log."""
    sessions = Sessions(lambda: ("/ws",), tell.append, folder=folder)
    session = sessions.create("What is it?")
    for number in range(TURNS):
        session.conversation.append(
            {"role": "user", "content": [{"type": "text", "text": f"Question {number}?"}]}
        )
        session.conversation.append(
            {"role": "assistant", "content": [{"type": "text", "text": f"Answer {number}."}]}
        )
    await sessions.close()
    return session.id, folder / f"{session.id}.log"


def cuts(content: bytes, chance: random.Random) -> list[int]:
    """Ends of lines, and places within them."""
    ends = [at + 1 for at, byte in enumerate(content) if byte == 10]
    return [*chance.sample(ends[2:-1], 6), *chance.sample(range(ends[1], ends[-2]), 6)]


async def test_what_is_missing_of_a_log_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    session_id, log = await kept(tmp_path, told)
    content = log.read_bytes()
    head = log.with_suffix(".head").read_bytes()
    for cut in cuts(content, seeded()):
        log.write_bytes(content[:cut])
        log.with_suffix(".head").write_bytes(head)
        told.clear()
        sessions = Sessions(lambda: ("/ws",), told.append, folder=tmp_path)
        session = await sessions.open(session_id)
        (told_of,) = told
        assert f"{TURNS - session.turns:,} of its {TURNS} replies are missing" in told_of
        assert str(log.with_suffix(".log.damaged")) in told_of
        assert log.with_suffix(".log.damaged").read_bytes() == content[:cut]
        await sessions.close()
        again = Sessions(lambda: ("/ws",), told.append, folder=tmp_path)
        await again.open(session_id)  # it is said once
        assert len(told) == 1
        await again.close()


@pytest.mark.parametrize("left", [0, 5])
async def test_a_log_of_which_nothing_is_left_is_listed(tmp_path: Path, left: int) -> None:
    told: list[str] = []
    session_id, log = await kept(tmp_path, told)
    log.write_bytes(log.read_bytes()[:left])
    sessions = Sessions(lambda: ("/ws",), told.append, folder=tmp_path)
    (listed,) = await sessions.all()
    assert (listed.head.id, listed.head.title) == (session_id, "What is it?")
    with pytest.raises(StoreUnavailable, match="Nothing of the session “What is it\\?”") as raised:
        await sessions.open(session_id)
    assert str(log.with_suffix(".log.damaged")) in str(raised.value)
    await sessions.delete(session_id)
    assert await sessions.all() == []


async def test_a_log_that_is_whole_is_not_spoken_of(tmp_path: Path) -> None:
    told: list[str] = []
    session_id, log = await kept(tmp_path, told)
    with log.open("ab") as file:
        file.write(b"0000")  # what a server was writing when it was killed
    sessions = Sessions(lambda: ("/ws",), told.append, folder=tmp_path)
    assert (await sessions.open(session_id)).turns == TURNS
    assert told == []
    await sessions.close()
