"""What a line of a chat can be completed to, and the lines that were typed before."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from pathlib import Path

import platformdirs
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory

from glossator.cli.chat_words import own_words, works_here
from glossator.cli.server import ResponseError, ServerLost
from glossator.core.atomic import replace_private
from glossator.core.wire import Json

_MENTION = re.compile(r'(?:^|\s)(@(?:"[^"\n]*|[^\s"]*))$')
_COMMAND = re.compile(r"^\s*(/[\w.:-]*)$")
_MAX_BYTES = 500_000  # of a history; the older half of a longer one is dropped
_BEGINNING = b"\n# "  # of an entry
_DAY = 86_400  # seconds
_WAITS = (0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0)  # seconds, while the server is still listing files


class LineCompleter(Completer):
    """Completes the `@` or `/` word before the cursor, as the server does it for the panel.

    `ask` sends a word to the server, and gives its `CompleteAnswer` in JSON.
    """

    def __init__(self, ask: Callable[[str], Awaitable[Json]]) -> None:
        self._ask = ask

    def get_completions(self, _document: Document, _event: CompleteEvent) -> Iterable[Completion]:
        """Nothing: the server is asked, which must block no key."""
        return ()

    async def get_completions_async(
        self, document: Document, _event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """The completions; none where the server cannot say, as other requests tell why."""
        before = document.text_before_cursor
        found = _COMMAND.search(before) or _MENTION.search(before)
        if found is None:
            return
        word = found[1]
        items = await self._items(word)
        if word.startswith("/"):
            for name, what in own_words(word[1:]).items():
                yield Completion(f"/{name} ", -len(word), f"/{name}", what)
            items = [each for each in items if works_here(each["label"][1:])]
        for each in items:
            goes_on = each["kind"] == "folder" or each["insert"].endswith(" ")
            insert = each["insert"] + ("" if goes_on else " ")
            yield Completion(insert, -len(word), each["label"], each["detail"])

    async def _items(self, word: str) -> list[Json]:
        try:
            answer = await self._ask(word)
            for wait in _WAITS:
                if answer["items"] or not answer["incomplete"]:
                    break
                await asyncio.sleep(wait)
                answer = await self._ask(word)
        except (ResponseError, ServerLost):
            return []
        return list(answer["items"])


class LineHistory(FileHistory):
    """The lines typed in chats about these folders, in a file that only the user may read.

    Where no sessions are kept, or the file cannot be written, they last as long as the chat.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        folders = "\0".join(os.path.realpath(root) for root in roots)
        name = hashlib.sha256(os.fsencode(folders)).hexdigest()[:32]
        self._path = Path(platformdirs.user_state_dir("glossator")).absolute() / "lines" / name
        super().__init__(self._path)
        self._is_kept = False

    async def load(self) -> AsyncGenerator[str, None]:
        """The lines, the newest first."""
        if not self._loaded:
            self._is_kept = await asyncio.to_thread(_prepare, self._path)
            early = self.get_strings()  # typed meanwhile
            self._loaded_strings, self._loaded = [*self.load_history_strings()], True
            for each in early:
                self.append_string(each)
        for each in self._loaded_strings:
            yield each

    def store_string(self, string: str) -> None:
        """Append a line to the file."""
        if self._is_kept:
            try:
                super().store_string(string)
            except OSError:
                self._is_kept = False


def _prepare(path: Path) -> bool:
    """Have a file to append to, and drop what is old; False if lines are not to be kept."""
    from glossator.settings import valid_settings  # noqa: PLC0415 - slow, and the user types already

    keep = valid_settings(None, os.environ)[0].sessions
    if not keep.count:
        return False
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for each in path.parent.iterdir():
            if each.stat().st_mtime < time.time() - keep.days * _DAY:
                each.unlink()
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        if path.stat().st_size > _MAX_BYTES:
            half = path.read_bytes()[-_MAX_BYTES // 2 :]
            replace_private(path, half[max(half.find(_BEGINNING), 0) :])
    except OSError:
        return False
    return True
