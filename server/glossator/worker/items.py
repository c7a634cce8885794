"""The items, mostly files, that a job works on one by one: one that fails never stops the rest.

`attempt` does the work on one item. If it raises, or ends the process (by a crash, or because it is
ended after too long a silence), that is noted, and the item is not tried again until it changes. In
a worker process the current item stands in memory that the server shares: there the server finds
what the process worked on when it ended.
"""

from __future__ import annotations

import json
import logging
import mmap
import traceback
from collections.abc import Callable, Generator, Iterable
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from glossator import __version__
from glossator.core.errors import GlossatorError

MARK_BYTES = 16_384  # of shared memory; an item whose path is longer is not marked
_LENGTH_BYTES = 4
_MAX_ENDED_PROCESSES = 3  # processes that versions of an item ended: then a change is not enough
_LONGEST_WHY = 200  # characters
_TRACED = 8  # innermost calls; a recursion has a thousand

_log = logging.getLogger(__name__)
_P = ParamSpec("_P")
_R = TypeVar("_R")


class Item(NamedTuple):
    """One item: its name, mostly a path, and a version that changes with its content.

    `lack` says what the user misses if the work on it fails: `has no outline`. After an
    `@` a version says what worked on it, where another one may do better.
    """

    name: str
    lack: str
    version: str

    def is_at(self, *versions: str) -> bool:
        """Whether its content is one of these versions, whatever worked on it."""
        return self.version.partition("@")[0] in versions


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the work on an item failed; `ends` counts the processes that it ended."""

    item: Item
    why: str
    ends: int = 0

    @property
    def lasting(self) -> bool:
        """Whether no version of the item is tried."""
        return self.ends >= _MAX_ENDED_PROCESSES

    @property
    def in_words(self) -> str:
        """`/ws/a.js has no outline: RecursionError: …`."""
        return f"{self.item.name} {self.item.lack}: {self.why}"


class Troubles:
    """The items that could not be worked on; for one thread at a time, but for `listed`.

    `told` is called with each new trouble, and with each item that works again.
    """

    def __init__(
        self,
        told: Callable[[Trouble | Item], None] = lambda _: None,
        mark: mmap.mmap | None = None,
    ) -> None:
        """`mark` is the shared memory, in a worker process."""
        self._told, self._mark = told, mark
        self._known: dict[tuple[str, str], Trouble] = {}
        self._current: Item | None = None

    @property
    def listed(self) -> tuple[Trouble, ...]:
        """All of them, by name."""
        return tuple(sorted(self._known.values(), key=lambda each: each.item))

    def of(self, item: Item) -> Trouble | None:
        """Why the item is not to be tried."""
        known = self._known.get(item[:2])
        if known is not None and (known.lasting or known.item == item):
            return known
        return None

    def knows(self, item: Item) -> bool:
        """Whether a version of the item failed."""
        return item[:2] in self._known

    def within(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Note attempts within the work here, in one thread of a server."""
        HERE.set(self)
        return work(*args, **kwargs)

    def replace(self, troubles: Iterable[Trouble]) -> None:
        """Set the items: these are all there are."""
        self._known = {each.item[:2]: each for each in troubles}

    def learn(self, news: Trouble | Item) -> None:
        """Take over what `told` was called with in another process."""
        if isinstance(news, Trouble):
            self._add(news)
        else:
            self.forget(news)

    def forget(self, item: Item) -> None:
        """Note that an item works again."""
        if self._known.pop(item[:2], None) is not None:
            self._told(item)

    def note(self, item: Item, why: str) -> Trouble:
        """Note that the work on the item raised."""
        return self._add(Trouble(item, why[:_LONGEST_WHY]))

    def note_end(self, item: Item, how: str) -> Trouble:
        """Note that the work on the item ended its process; `how` completes "the process …"."""
        known = self._known.get(item[:2])
        ends = 1 if known is None else known.ends + 1
        return self._add(Trouble(item, f"the worker process {how}", ends))

    def begin(self, item: Item | None) -> Item | None:
        """Note which item is worked on from now on, or none; returns the one before."""
        before, self._current = self._current, item
        if self._mark is not None:
            _write(self._mark, item)
        return before

    def _add(self, trouble: Trouble) -> Trouble:
        self._known[trouble.item[:2]] = trouble
        self._told(trouble)
        return trouble


HERE: ContextVar[Troubles] = ContextVar("troubles", default=Troubles())  # noqa: B039 - for tests
"""Those of a worker process; in a server, see `Troubles.within`."""


def attempt(item: Item, work: Callable[[], _R]) -> _R | Trouble:
    """The result of the work on an item, or why there is none.

    `GlossatorError` and `OSError`, which are no fault of the item, are raised.
    """
    done = _tried(item, work)
    if not isinstance(done, Trouble):
        HERE.get().forget(item)
    return done


def attempt_steps(
    item: Item, steps: Generator[None, None, _R]
) -> Generator[None, None, _R | Trouble]:
    """Like `attempt`, for work that pauses between steps."""
    result: list[_R] = []

    def step() -> None:
        try:
            next(steps)
        except StopIteration as end:
            result.append(end.value)

    while not result:
        if isinstance(trouble := _tried(item, step), Trouble):
            return trouble
        if not result:
            yield
    HERE.get().forget(item)
    return result[0]


def _tried(item: Item, work: Callable[[], _R]) -> _R | Trouble:
    troubles = HERE.get()
    if (known := troubles.of(item)) is not None:
        return known
    before = troubles.begin(item)
    try:
        return work()
    except (GlossatorError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the other items go on
        trace = "".join(traceback.format_exception(error, limit=-_TRACED))
        _log.warning("%s %s:\n%s", item.name, item.lack, trace.rstrip())
        return troubles.note(item, f"{type(error).__name__}: {error}".rstrip(": "))
    finally:
        troubles.begin(before)


def _write(mark: mmap.mmap, item: Item | None) -> None:
    # The process may end between any two writes. The length is 0 while the item is written, so that
    # the server never blames half a name for the end (docs/decisions/0053).
    mark[:_LENGTH_BYTES] = bytes(_LENGTH_BYTES)
    written = b"" if item is None else json.dumps(item).encode()
    if written and len(written) <= MARK_BYTES - _LENGTH_BYTES:
        mark[_LENGTH_BYTES : _LENGTH_BYTES + len(written)] = written
        mark[:_LENGTH_BYTES] = len(written).to_bytes(_LENGTH_BYTES)


def marked(mark: bytes) -> Item | None:
    """The item marked in shared memory."""
    length = int.from_bytes(mark[:_LENGTH_BYTES])
    return Item(*json.loads(mark[_LENGTH_BYTES : _LENGTH_BYTES + length])) if length else None


def load(place: Path) -> tuple[Trouble, ...]:
    """The troubles that were saved by this version of Glossator; another one may have none."""
    try:
        saved = json.loads(place.read_bytes())
        if saved["version"] != __version__:
            return ()
        return tuple(
            Trouble(Item(*each["item"]), each["why"], each["ends"]) for each in saved["troubles"]
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError) as damage:
        _log.warning("Files that failed before are tried again: %s: %s", place, damage)
        return ()


def save(place: Path, troubles: Iterable[Trouble]) -> None:
    """Keep troubles for the next start, if there is a folder for them. Raises `OSError`."""
    if place.parent.is_dir():
        kept = {"version": __version__, "troubles": [asdict(each) for each in troubles]}
        unfinished = place.with_suffix(".tmp")
        unfinished.write_text(json.dumps(kept), "utf-8")
        unfinished.replace(place)
