"""The texts of a client: what is typed there and not saved, and writing through it.

A client tells nothing by itself, so a file is asked for when a call is about it. Its answer may be
an outdated buffer: a text that the disk had before is no typing, and what is on disk counts. What
the user typed is never overwritten: a text is written only where the client still has the one that
the edit was made for.

Many clients read and write texts in their own way: bytes that are no UTF-8 are lost, a byte-order
mark goes, line ends become LF or all alike. So only plain UTF-8 is asked for, other line ends alone
are no typing, and what a client might not give back as it is goes to the disk.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from acp import schema
from acp.interfaces import Client

from glossator.acp.outbox import FAILURES
from glossator.core.document import Document, text_hash
from glossator.core.edit import EditPlan, FileEdit
from glossator.core.plan_on_disk import write_plan
from glossator.core.ports import NotApplied
from glossator.core.uri import to_uri
from glossator.workspace import Closed, Loaded, Opened, WorkspaceHost, load

_log = logging.getLogger(__name__)

_LARGEST_BYTES = 20_000_000  # of a file that a client is asked for
_SECONDS = 2.0  # for the client to give a text
_CHANGED = "the text was changed meanwhile"
_UTF_8 = "utf-8"  # without a byte-order mark
_LINE_END = re.compile(r"\r\n|\r|\n")
_FAILURES = (*FAILURES, TimeoutError)


class ClientTexts:
    """What the client's buffers hold. `fs` says whether it reads and writes for us."""

    def __init__(
        self,
        client: Client,
        fs: schema.FileSystemCapabilities,
        at: Callable[[str], WorkspaceHost],
        hides: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`at` gives the workspace that a path is in: that of the client, or a worktree's.

        A file that rules hide is not asked for.
        """
        self._client = client
        self._reads, self._writes = bool(fs.read_text_file), bool(fs.write_text_file)
        self._at, self._hides = at, hides
        self._version = 0
        self._on_disk: defaultdict[str, set[str]] = defaultdict(set)  # hashes that a file had
        self._line_ends: dict[str, str] = {}  # that the client keeps of a file; "" if it may not

    async def look(self, session_id: str, paths: Sequence[str]) -> None:
        """Take over what is typed into these files; what is saved meanwhile is let go."""
        if self._reads and session_id:
            await asyncio.gather(*(self._look(session_id, path) for path in dict.fromkeys(paths)))

    async def _look(self, session_id: str, path: str) -> None:
        host, uri = self._at(path), to_uri(path)
        found = await asyncio.to_thread(_on_disk, host, path)
        if found is None or self._hides(path):
            return
        disk, hashes = found
        if disk.encoding != _UTF_8:
            if path in host.overlays:
                host.apply(Closed(uri))
            return
        known = self._on_disk[path]
        known |= hashes
        end = _line_end(disk.text)
        self._line_ends[path] = end if end == "\n" else ""
        text = await self._text(session_id, path)
        if text is None:
            return
        self._line_ends[path] = end if end == _line_end(text) else ""
        if text_hash(text) in known:  # saved, or a buffer that has not seen the newest yet
            if path in host.overlays:
                host.apply(Closed(uri))
            return
        if "\r\n" in disk.text and "\r" not in text:
            text = text.replace("\n", "\r\n")
        if path not in host.overlays or host.overlays[path].text != text:
            self._version += 1
            host.apply(Opened(uri, self._version, text))

    async def _text(self, session_id: str, path: str) -> str | None:
        """The client's text of a file; None if it gives none."""
        try:
            async with asyncio.timeout(_SECONDS):
                return (await self._client.read_text_file(session_id, path)).content
        except _FAILURES as failure:
            _log.info("The client gives no text of %s: %r", path, failure)
            return None

    async def write(self, session_id: str, plan: EditPlan) -> NotApplied | None:
        """Make a plan: by the client if it writes and nothing but texts change, else on disk."""
        await self.look(session_id, [change.path for change in plan.files])
        texts = [change for change in plan.files if isinstance(change, FileEdit)]
        by_client = self._writes and session_id and len(texts) == len(plan.files)
        if by_client and await asyncio.to_thread(lambda: all(map(self._suits_client, texts))):
            if any(self.text_of(edit.path) != edit.before for edit in texts):
                return NotApplied(_CHANGED)
            for number, edit in enumerate(texts):
                if problem := await self._write(session_id, edit):
                    done = ", ".join(each.path for each in texts[:number])
                    return NotApplied(f"{problem}; written before: {done}" if done else problem)
            return None
        hosts = {change.path: self._at(change.path) for change in plan.files}
        if typed := [path for path, host in hosts.items() if path in host.overlays]:
            return NotApplied(f"{', '.join(typed)} is not saved in the editor, and has to be first")
        roots = {root for host in hosts.values() for root in host.roots}
        problem = await asyncio.to_thread(write_plan, plan, tuple(roots))
        return None if problem is None else NotApplied(problem)

    def text_of(self, path: str) -> str:
        """A file's text, with what is typed into it; "" if it has none."""
        found = self._at(path).snapshot().read(path)
        return found.text if isinstance(found, Document) else ""

    def _suits_client(self, edit: FileEdit) -> bool:
        """Whether the client can write a text as it is: some make no folders, or change line ends.

        Line ends that are not all alike no client is trusted with.
        """
        if edit.encoding != _UTF_8 or not os.path.isdir(os.path.dirname(edit.path)):
            return False
        kept = self._line_ends.get(edit.path, "\n")
        return kept != "" and kept == _line_end(edit.before) == _line_end(edit.result)

    async def _write(self, session_id: str, edit: FileEdit) -> str | None:
        """Have the client write one text; None when done, else why not."""
        await self.look(session_id, [edit.path])
        if self.text_of(edit.path) != edit.before:
            return _CHANGED
        host = self._at(edit.path)
        try:
            await self._client.write_text_file(session_id, edit.path, edit.result)
        except _FAILURES as failure:
            return f"the editor could not write {edit.path} ({failure})"
        if edit.path in host.overlays:
            host.apply(Closed(edit.uri))
        return None


def _on_disk(host: WorkspaceHost, path: str) -> tuple[Loaded, set[str]] | None:
    """The text of a file without what is typed into it; None if it is none of the workspace.

    And its hashes, also those that it has with all line ends alike.
    """
    found = load(host.folders, path, _LARGEST_BYTES)
    if not isinstance(found, Loaded):
        return None
    hashes = {found.sha256}
    if "\r" in found.text:
        hashes |= {text_hash(_LINE_END.sub(end, found.text)) for end in ("\n", "\r\n")}
    return found, hashes


def _line_end(text: str) -> str:
    """The line end of all lines of a text, LF if it has none; "" if they differ."""
    if "\r" not in text:
        return "\n"
    return "\r\n" if text.count("\r\n") == text.count("\r") == text.count("\n") else ""
