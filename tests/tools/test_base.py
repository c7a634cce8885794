"""What every tool shares: arguments, schemas, threads, file types."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from glossator.core.errors import UsageError
from glossator.tools import base
from glossator.tools.base import Cancelled, in_thread, searching
from glossator.tools.file_types import extensions_of
from glossator.tools.toolbox import reading_tools
from tests.workspaces import MakeWorkspace


async def test_cancelling_the_await_stops_the_thread() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(cancelled: Cancelled) -> None:
        begun.set()
        cancelled.wait()
        stopped.set()

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(stopped.wait, 30)


async def test_searches_take_turns() -> None:
    told: list[str] = []

    def work(_cancelled: Cancelled) -> None:
        told.append("begins")
        time.sleep(0.01)  # so that another could begin
        told.append("ends")

    await asyncio.gather(*(searching(work) for _ in range(6)))
    assert told == ["begins", "ends"] * 6


async def test_a_long_search_keeps_another_waiting_only_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "_PATIENCE", 0.01)
    other_ran = threading.Event()
    long = asyncio.create_task(searching(lambda _cancelled: other_ran.wait(30)))
    await searching(lambda _cancelled: other_ran.set())
    assert await long


@pytest.mark.parametrize("name", sorted(reading_tools()))
async def test_wrong_arguments_are_told(workspace: MakeWorkspace, name: str) -> None:
    ws = await workspace({"a.py": ""})
    result = await ws.call(name, no_such_argument=1)
    assert result.error
    assert "no_such_argument" in result.text
    assert "Correct the arguments and call it again" in result.text


@pytest.mark.parametrize("tool", reading_tools().values(), ids=lambda tool: tool.name)
def test_every_argument_is_described(tool: object) -> None:
    schema = tool.args.model_json_schema()  # type: ignore[attr-defined] # every tool has arguments
    assert schema["additionalProperties"] is False
    undescribed = [
        name
        for name, field in schema["properties"].items()
        if "description" not in field and "enum" not in field
    ]
    assert undescribed == []


@pytest.mark.parametrize(
    ("file_type", "ending"),
    [("py", ".pyi"), ("Python", ".py"), (".ts", ".tsx"), ("typescript", ".mts"), ("yml", ".yaml")],
)
def test_file_types(file_type: str, ending: str) -> None:
    assert ending in extensions_of(file_type)


def test_an_unknown_file_type() -> None:
    with pytest.raises(UsageError, match=r"'cobol'\.\nUse glob instead, or one of c, cpp"):
        extensions_of("cobol")
