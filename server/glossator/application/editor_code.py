"""Who is asked about code: the editor, which asks its language servers, else servers of ours."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from glossator.core.attached import FileDiagnostics, Wanted
from glossator.core.code import OF_ALL_FILES, CodeAnswer, CodeQuestion, CodeServers
from glossator.core.ports import EditorPort
from glossator.core.uri import to_path
from glossator.language_servers import SCRIPTS, language_at, scripts_lack

_NOTHING = "the editor's language servers know nothing of it, or are still starting"


@dataclass(frozen=True, slots=True)
class EditorCode(CodeServers):
    """Asks the editor where it can be asked, and `own` servers elsewhere."""

    port: EditorPort
    own: CodeServers

    async def ask(
        self, question: CodeQuestion, seconds: float, *, begins: bool = True
    ) -> CodeAnswer | str:
        """See `CodeServers`."""
        if not self.port.tells_code:
            return await self.own.ask(question, seconds, begins=begins)
        lacks = await self._lacks(question) if question.kind in OF_ALL_FILES else ""
        return lacks or await self.port.code(question, seconds) or _NOTHING

    async def _lacks(self, question: CodeQuestion) -> str:
        path = to_path(question.uri) or ""
        if language_at(path, question.text) not in SCRIPTS:
            return ""
        return await asyncio.to_thread(scripts_lack, "the editor", path)

    @property
    def are_there(self) -> bool:
        """Whether anybody can be asked."""
        return self.port.tells_code or self.own.are_there

    @property
    def tells_diagnostics(self) -> bool:
        """Whether anybody tells them."""
        return self.port.tells_diagnostics or self.own.tells_diagnostics

    async def diagnostics(
        self, wanted: tuple[Wanted, ...], seconds: float
    ) -> tuple[FileDiagnostics, ...] | None:
        """See `CodeServers`."""
        if not self.port.tells_diagnostics:
            return await self.own.diagnostics(wanted, seconds)
        return await self.port.diagnostics(wanted, seconds)
