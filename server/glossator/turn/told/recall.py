"""Recall: the memories that a question needs go with it, or follow as soon as they are known.

Words find some at once. Meanwhile the fast model reads the list of all and picks; if it is ready
when the message is, its choice goes in their place, else what it adds follows as a reminder.
Nothing waits for it, and no failure of it ends a run. What is sent counts as seen, and the user is
told its names.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from glossator.application import Application, WorkspaceNow, mark_seen, turned_on, unseen
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import ModelError
from glossator.core.events import Notice
from glossator.core.looks import look
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_prose
from glossator.core.tool_result import shorten
from glossator.llm import Message, Meter, Model, side_query
from glossator.memory import (
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
from glossator.sessions import Run, Session
from glossator.turn.told.part import Telling

logger = logging.getLogger(__name__)

MOST = 5  # memories for one question
SECONDS = 5.0  # for the fast model's choice

_AT_ONCE = 3  # memories that words find
_MAX_LISTED = 150  # memories that the fast model chooses from
_QUESTION = 4_000  # characters of a question that it reads
_RECENT_MESSAGES = 20  # messages in which a tool worked "just now"
_READING_SECONDS = 1.0  # that a question waits for the files, which are the user's own
_SYMBOL_SECONDS = 0.03  # for the symbols that the memories name, where a question waits
_LATE_SYMBOL_SECONDS = 0.5  # and where nothing does
_OUTPUT_TOKENS = 100
_CHOICE = re.compile(r"\[?\d{1,3}\]?(?:\s*[,>\s]\s*\[?\d{1,3}\]?)*\.?")
_NO_CHOICE = re.compile(r"(?i)[\"'`]?(?:none|0)[\"'`]?\.?")


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Memories that the conversation has not seen: those that words find, and all for the list."""

    by_words: tuple[Memory, ...]
    listed: tuple[Memory, ...]


_Checked = tuple[tuple[Memory, tuple[str, ...]], ...]  # memories, and what each names that is gone


class Recall:
    """Finds the memories for one question, as long as its block lasts."""

    def __init__(
        self, app: Application, session: Session, run: Run, seconds: float = SECONDS
    ) -> None:
        self._app = app
        self._session = session
        self._run = run
        self._question = ""
        self._seconds = seconds
        self._looking: asyncio.Task[_Candidates] | None = None
        self._by_words: asyncio.Task[_Checked] | None = None
        self._choosing: asyncio.Task[None] | None = None
        self._chosen: _Checked | None = None  # by the fast model
        self._given: dict[Path, Memory] = {}  # to the model in this run
        self._is_gathered = False  # the message has what it gets
        self._late: _Checked = ()  # chosen after that

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.end()

    def begin(self, meter: Meter, question: str) -> None:
        """Start to look, if anything is remembered; the cost counts in `meter`."""
        self._question = question
        if self._app.settings.memory.enabled:
            self._looking = asyncio.create_task(self._look())
            self._by_words = asyncio.create_task(self._find_by_words(self._looking))
            self._choosing = asyncio.create_task(self._choose(meter, self._looking))

    async def at_once(self) -> Telling:
        """The memories that go with the message."""
        if self._by_words is None:
            return Telling()
        read, _ = await asyncio.wait({self._by_words}, timeout=_READING_SECONDS)
        self._is_gathered = True
        if not read:
            self._fail(f"their files were not read within {_READING_SECONDS:g} s")
            return Telling()
        if error := self._by_words.exception():
            self._fail(f"looking for them failed: {error}")
            return Telling()
        found = self._by_words.result() if self._chosen is None else self._chosen
        return Telling(self._told(found), partial(self._sent, found))

    def late(self) -> tuple[str, ...]:
        """What the choice adds: at most `MOST` together with those that went with the question.

        They are for the next message; memories that no message takes do not count as seen.
        """
        late, self._late = self._late, ()
        new = unseen(self._session, tuple(memory for memory, _ in late))
        late = tuple(each for each in late if each[0] in new)[: MOST - len(self._given)]
        self._sent(late)
        return self._told(late)

    async def again(self) -> Telling:
        """The memories told in this run that a compaction dropped from the conversation."""
        taken = unseen(self._session, tuple(self._given.values()))
        found = await self._checked(taken, _LATE_SYMBOL_SECONDS)
        return Telling(self._told(found), partial(self._taken, found))

    async def end(self) -> None:
        """Stop looking."""
        begun = (self._looking, self._by_words, self._choosing)
        tasks = [task for task in begun if task is not None]
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in {each for each in ended if isinstance(each, Exception)}:  # of ours
            logger.error("Recall failed", exc_info=error)

    async def _look(self) -> _Candidates:
        """Find the memories not seen yet; tell, once, what is wrong with their files."""
        off = self._app.switches.off(ContextKind.MEMORY)
        found, problems = await look(_looked, self._app, self._session, self._question, off)
        for problem in problems:
            self._run.tell(problem)
        return found

    async def _find_by_words(self, looking: asyncio.Task[_Candidates]) -> _Checked:
        return await self._checked((await asyncio.shield(looking)).by_words, _SYMBOL_SECONDS)

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
            found = await self._checked(chosen, _LATE_SYMBOL_SECONDS)
            if self._is_gathered:
                self._late = found
            else:
                self._chosen = found

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
        return (await side_query(model, meter, "recall", prompt, _OUTPUT_TOKENS)).text

    async def _checked(self, memories: Sequence[Memory], seconds: float) -> _Checked:
        """Each memory with what it names that is gone; `seconds` are for symbols."""
        if not memories:
            return ()
        app, hidden = self._app, self._app.acting.hidden()
        snapshot = app.host.snapshot()

        async def gone(memory: Memory) -> tuple[str, ...]:
            return (
                *await asyncio.to_thread(gone_places, memory, snapshot, hidden),
                *await gone_symbols(memory, snapshot, app.symbols, hidden, seconds),
            )

        return tuple(zip(memories, await asyncio.gather(*map(gone, memories)), strict=True))

    def _told(self, found: _Checked) -> tuple[str, ...]:
        """What the model is told of the memories, beside the list in the system prompt."""
        now, prompt = datetime.now(UTC), self._session.system
        return tuple(memory_text(memory, now, gone, prompt) for memory, gone in found)

    def _sent(self, found: _Checked) -> None:
        """Note that a message has the texts: they count as seen, and the user is told of them."""
        self._taken(found)
        if found:
            names = ", ".join(shown(memory.name) for memory, _ in found)
            self._run.emit(Notice(f"Remembered: {names}."))

    def _taken(self, found: _Checked) -> None:
        for memory, _ in found:
            mark_seen(self._session, memory)
            self._given[memory.path] = memory

    def _fail(self, why: str) -> None:
        message = f"Not all memories that matter may have been found: {why}"
        self._run.notice_once("recall", message if message.endswith(".") else f"{message}.")


async def likely_memories(app: Application, session: Session, question: str) -> list[Memory]:
    """The memories not seen yet that words find for a question."""
    if not app.settings.memory.enabled:
        return []
    off = app.switches.off(ContextKind.MEMORY)

    def work() -> list[Memory]:
        new = unseen(session, turned_on(app.memories.kept().memories, off))
        return list(pick(question, new, _AT_ONCE))

    return await asyncio.to_thread(work)


async def memory_index(app: Application, now: WorkspaceNow) -> str:
    """The list of memories in the system prompt; "" if there are none, or they are off."""
    if not app.settings.memory.enabled:
        return ""
    snapshot, hidden, off = now.snapshot, now.hidden, now.is_off(ContextKind.MEMORY)

    def work() -> str:
        memories, today = turned_on(app.memories.kept().memories, off), datetime.now(UTC)
        return index_section(memories, today, lambda each: gone_places(each, snapshot, hidden))

    return await look(work)


def chosen_numbers(reply: str, count: int) -> tuple[int, ...]:
    """The numbers (1 to `count`) in a reply of nothing else. Raises `ModelError` otherwise."""
    text = reply.strip()
    if _NO_CHOICE.fullmatch(text):
        return ()
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if not _CHOICE.fullmatch(text) or not all(1 <= number <= count for number in numbers):
        raise ModelError("the model's reply was no list of memories")
    return tuple(dict.fromkeys(numbers))[:MOST]


def worked(messages: Sequence[Message]) -> tuple[str, ...]:
    """The tools whose calls succeeded in the newest messages."""
    recent = [block for message in messages[-_RECENT_MESSAGES:] for block in message["content"]]
    names = {str(block["id"]): str(block["name"]) for block in recent if _is(block, "tool_use")}
    done = (
        names.get(str(block["tool_use_id"]))
        for block in recent
        if _is(block, "tool_result") and not block.get("is_error")
    )
    return tuple(dict.fromkeys(filter(None, done)))


def _is(block: object, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind


def _looked(
    app: Application, session: Session, question: str, off: frozenset[str]
) -> tuple[_Candidates, tuple[str, ...]]:
    """The memories that a question may need, and new problems with their files; blocking."""
    kept = app.memories.kept()
    new = unseen(session, turned_on(kept.memories, off))
    found = _Candidates(pick(question, new, _AT_ONCE), _most_likely(question, new))
    return found, app.memories.news(kept)


def _most_likely(question: str, memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """The memories the fast model chooses from: all, or the nearest and the newest."""
    if len(memories) <= _MAX_LISTED:
        return tuple(newest_first(memories))
    near = [each.memory for each in rank(question, memories)[: _MAX_LISTED // 2]]
    return tuple({each.path: each for each in (*near, *newest_first(memories))}.values())[
        :_MAX_LISTED
    ]
