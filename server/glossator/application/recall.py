"""Recall: the memories that a question needs go with it, or follow as soon as they are known.

Words find some at once. Meanwhile the fast model reads the list of all and picks; if it is ready
when the message is, its choice goes in their place, else what it adds follows as a reminder.
Nothing waits for it, and no failure of it ends a run.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from glossator.application.application import Application
from glossator.application.remembering import mark_seen, unseen
from glossator.context import in_tags
from glossator.contextual import answers_at_once
from glossator.core.errors import ModelError
from glossator.core.shown import shown_prose
from glossator.core.tool_result import shorten
from glossator.llm import (
    Message,
    Meter,
    Model,
    ModelRequest,
    Reply,
    known_facts,
    user_message,
)
from glossator.memory import (
    Kept,
    Memory,
    age,
    gone_places,
    gone_symbols,
    index_section,
    memory_text,
    newest_first,
    pick,
    rank,
)
from glossator.prompts import load_prompt
from glossator.sessions import Run, Session

logger = logging.getLogger(__name__)

MOST = 5  # memories for one question
SECONDS = 5.0  # for the fast model's choice

_AT_ONCE = 3  # memories that words find
_LISTED = 150  # memories that the fast model chooses from
_QUESTION = 4_000  # characters of a question that it reads
_RECENT = 20  # messages in which a tool worked "just now"
_READING_SECONDS = 1.0  # that a question waits for the files, which are the user's own
_SYMBOL_SECONDS = 0.1  # for the symbols that a memory names
_OUTPUT_TOKENS = 100
_THINKING_TOKENS = 1_000  # room for a model that cannot do without
_CHOICE = re.compile(r"\[?\d{1,3}\]?(?:\s*[,>\s]\s*\[?\d{1,3}\]?)*\.?")
_NONE = re.compile(r"(?i)[\"'`]?(?:none|0)[\"'`]?\.?")


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Memories that the conversation has not seen: those that words find, and those to list."""

    by_words: tuple[Memory, ...]
    listed: tuple[Memory, ...]


class Recall:
    """Finds the memories for one question; ends with its block."""

    def __init__(
        self, app: Application, session: Session, run: Run, question: str, seconds: float = SECONDS
    ) -> None:
        self._app = app
        self._session = session
        self._run = run
        self._question = question
        self._seconds = seconds
        self._candidates: asyncio.Task[_Candidates] | None = None
        self._choosing: asyncio.Task[None] | None = None
        self._chosen: tuple[Memory, ...] | None = None  # by the fast model
        self._is_sent = False  # the message is on its way

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.end()

    def begin(self, meter: Meter) -> None:
        """Start to look, if anything is remembered; what that costs counts in `meter`."""
        if self._app.settings.memory.enabled:
            self._candidates = asyncio.create_task(self._look())
            self._choosing = asyncio.create_task(self._choose(meter, self._candidates))

    async def at_once(self) -> tuple[str, ...]:
        """The memories that go with the message."""
        if self._candidates is None:
            return ()
        read, _ = await asyncio.wait({self._candidates}, timeout=_READING_SECONDS)
        self._is_sent = True
        if not read:
            self._fail(f"their files were not read within {_READING_SECONDS:g} s")
            return ()
        by_words = self._candidates.result().by_words
        return await self._texts(by_words if self._chosen is None else self._chosen)

    async def end(self) -> None:
        """Stop looking."""
        tasks = [task for task in (self._candidates, self._choosing) if task is not None]
        for task in tasks:
            task.cancel()
        for ended in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(ended, Exception):  # of ours: the question is answered all the same
                logger.error("Recall failed", exc_info=ended)

    async def _look(self) -> _Candidates:
        """What the conversation has not seen yet; tells what is wrong with files, once."""
        kept, problems = await asyncio.to_thread(_kept, self._app)
        for problem in problems:
            self._run.notice_once(problem, problem)
        new = unseen(self._session, kept.memories)
        return await asyncio.to_thread(_candidates, self._question, new)

    async def _choose(self, meter: Meter, looking: asyncio.Task[_Candidates]) -> None:
        listed = (await asyncio.shield(looking)).listed
        if not listed or self._app.model.offline:
            return
        try:
            async with asyncio.timeout(self._seconds):
                said = await self._ask(self._app.models.fast, listed, meter)
            chosen = tuple(listed[number - 1] for number in chosen_numbers(said, len(listed)))
        except TimeoutError:
            self._fail(f"the model did not answer within {self._seconds:g} s")
        except ModelError as error:
            self._fail(str(error))
        else:
            self._chosen = chosen
            if self._is_sent:
                for text in await self._texts(unseen(self._session, chosen)):
                    self._session.reminders.add(text)

    async def _ask(self, model: Model, listed: Sequence[Memory], meter: Meter) -> str:
        meter.check()
        now = datetime.now(UTC)
        lines = (
            f"[{number}] {each.name} ({each.type}, {each.where}, {age(each.updated, now)}):"
            f" {each.description}"
            for number, each in enumerate(listed, 1)
        )
        prompt = load_prompt("memory/recall").render(
            memories=in_tags("\n".join(lines)),
            question=in_tags(shown_prose(shorten(self._question, _QUESTION))),
            tools=", ".join(worked(self._session.conversation.messages)) or "none",
            most=str(MOST),
        )
        room = 0 if answers_at_once(known_facts(model)) else _THINKING_TOKENS
        request = ModelRequest(
            system=(),
            tools=(),
            messages=(user_message(prompt),),
            max_output_tokens=_OUTPUT_TOKENS + room,
            shared_blocks=0,
            thinks=False,
        )
        async with aclosing(meter.stream(model, request, "recall")) as events:
            async for event in events:
                if isinstance(event, Reply):
                    return event.text
        raise ModelError("The model ended a reply without its end. Report this.")

    async def _texts(self, memories: Sequence[Memory]) -> tuple[str, ...]:
        """The memories for the model, with what is stale in them; they count as seen."""
        app, hidden = self._app, self._app.acting.hidden()
        snapshot, now = app.host.snapshot(), datetime.now(UTC)
        for memory in memories:  # before the first await: what comes later must not repeat one
            mark_seen(self._session, memory)

        async def text_of(memory: Memory) -> str:
            gone = (
                *await asyncio.to_thread(gone_places, memory, snapshot, hidden),
                *await gone_symbols(memory, snapshot, app.symbols, hidden, _SYMBOL_SECONDS),
            )
            return memory_text(memory, now, gone)

        return tuple(await asyncio.gather(*map(text_of, memories)))

    def _fail(self, why: str) -> None:
        message = f"Not all memories that matter may have been found: {why}"
        self._run.notice_once("recall", message if message.endswith(".") else f"{message}.")


async def memory_index(app: Application) -> str:
    """What the system prompt says of the memories; "" without any, or where they are off."""
    if not app.settings.memory.enabled:
        return ""
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()

    def work() -> str:
        memories = app.memories.kept().memories
        now = datetime.now(UTC)
        return index_section(memories, now, lambda each: gone_places(each, snapshot, hidden))

    return await asyncio.to_thread(work)


def chosen_numbers(reply: str, count: int) -> tuple[int, ...]:
    """The numbers (1 to `count`) that the reply consists of. Raises `ModelError` for another."""
    text = reply.strip()
    if _NONE.fullmatch(text):
        return ()
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if not _CHOICE.fullmatch(text) or not all(1 <= number <= count for number in numbers):
        raise ModelError("the model's reply was no list of memories")
    return tuple(dict.fromkeys(numbers))[:MOST]


def worked(messages: Sequence[Message]) -> tuple[str, ...]:
    """The tools whose calls succeeded in the newest messages."""
    recent = [block for message in messages[-_RECENT:] for block in message["content"]]
    names = {str(block["id"]): str(block["name"]) for block in recent if _is(block, "tool_use")}
    done = (
        names.get(str(block["tool_use_id"]))
        for block in recent
        if _is(block, "tool_result") and not block.get("is_error")
    )
    return tuple(dict.fromkeys(filter(None, done)))


def _is(block: object, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind


def _kept(app: Application) -> tuple[Kept, tuple[str, ...]]:
    kept = app.memories.kept()
    return kept, app.memories.news(kept)


def _candidates(question: str, memories: tuple[Memory, ...]) -> _Candidates:
    return _Candidates(pick(question, memories, _AT_ONCE), _most_likely(question, memories))


def _most_likely(question: str, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Those that the fast model chooses from: all, or those nearest to the question and newest."""
    if len(memories) <= _LISTED:
        return tuple(newest_first(memories))
    near = [each.memory for each in rank(question, memories)[: _LISTED // 2]]
    return tuple({each.path: each for each in (*near, *newest_first(memories))}.values())[:_LISTED]
