"""The texts of a client: what is typed there and not saved, and writing through it.

A client tells nothing by itself, so a file is asked for when a call is about it. Its answer may be
an outdated buffer: a text that the disk had before is no typing, and what is on disk counts. What
the user typed is never overwritten: a text is written only where the client still has the one that
the edit was made for.
"""

from __future__ import annotations

import asyncio
import logging
import os
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
_FAILURES = (*FAILURES, TimeoutError)


class ClientTexts:
    """What the client's buffers hold. `fs` says whether it reads and writes for us."""

    def __init__(
        self,
        client: Client,
        fs: schema.FileSystemCapabilities,
        at: Callable[[str], WorkspaceHost],
    ) -> None:
        """`at` gives the workspace that a path is in: that of the client, or a worktree's."""
        self._client = client
        self._reads, self._writes = bool(fs.read_text_file), bool(fs.write_text_file)
        self._at = at
        self._version = 0
        self._on_disk: defaultdict[str, set[str]] = defaultdict(set)  # hashes that a file had

    async def look(self, session_id: str, paths: Sequence[str]) -> None:
        """Take over what is typed into these files; what is saved meanwhile is let go."""
        if self._reads and session_id:
            await asyncio.gather(*(self._look(session_id, path) for path in dict.fromkeys(paths)))

    async def _look(self, session_id: str, path: str) -> None:
        host = self._at(path)
        found = await asyncio.to_thread(_on_disk, host, path)
        if found is None:
            return
        known = self._on_disk[path]
        known.add(found.sha256)
        text = await self._text(session_id, path)
        if text is None:
            return
        uri, is_open = to_uri(path), path in host.overlays
        if text_hash(text) in known:  # saved, or a buffer that has not seen the newest yet
            if is_open:
                host.apply(Closed(uri))
        elif not is_open or host.overlays[path].text != text:
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
        texts = [change for change in plan.files if isinstance(change, FileEdit)]
        by_client = self._writes and session_id and len(texts) == len(plan.files)
        if by_client and await asyncio.to_thread(lambda: all(map(_suits_clients, texts))):
            for edit in texts:  # all of them before the first is written
                if problem := await self._changed(session_id, edit):
                    return NotApplied(problem)
            for number, edit in enumerate(texts):
                if problem := await self._write(session_id, edit):
                    done = ", ".join(each.path for each in texts[:number])
                    return NotApplied(f"{problem}; written before: {done}" if done else problem)
            return None
        await self.look(session_id, [change.path for change in plan.files])
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

    async def _changed(self, session_id: str, edit: FileEdit) -> str | None:
        """Why the text is not the one that is to be edited; None if it is."""
        await self.look(session_id, [edit.path])
        same = self.text_of(edit.path) == edit.before
        return None if same else "the text was changed meanwhile"

    async def _write(self, session_id: str, edit: FileEdit) -> str | None:
        """Have the client write one text; None when done, else why not."""
        if problem := await self._changed(session_id, edit):
            return problem
        host = self._at(edit.path)
        try:
            await self._client.write_text_file(session_id, edit.path, edit.result)
        except _FAILURES as failure:
            return f"the editor could not write {edit.path} ({failure})"
        if edit.path in host.overlays:
            host.apply(Closed(edit.uri))
        return None


def _on_disk(host: WorkspaceHost, path: str) -> Loaded | None:
    """The text of a file without what is typed into it; None if it is none of the workspace."""
    found = load(host.folders, path, _LARGEST_BYTES)
    return found if isinstance(found, Loaded) else None


def _suits_clients(edit: FileEdit) -> bool:
    """Whether any client can write it: some make no folders."""
    return edit.encoding == "utf-8" and os.path.isdir(os.path.dirname(edit.path))
